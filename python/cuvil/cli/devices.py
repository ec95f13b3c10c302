# SPDX-License-Identifier: Apache-2.0
"""`cuv devices` and `cuv plugin list`: answered from manifests alone."""

from __future__ import annotations

import typer

from . import _model, _output


def devices_command(probe: bool = typer.Option(False, "--probe", help="Load the plugins to ask "
                                               "for arch and memory."),
                    json: bool = _model.JSON) -> None:
    """List the devices that models can be compiled for."""
    from .. import _registry

    found = _registry.devices(probe)
    if json:
        _output.emit_json(found)
        return
    from rich.table import Table

    table = Table()
    for column in ("device", "description", "arch", "plugin"):
        table.add_column(column)
    for device in found:
        name = device["name"] + (f":{device['index']}" if device.get("index") else "")
        table.add_row(name, device.get("description", ""), device.get("arch", ""),
                      device["plugin"])
    _output.console().print(table if found else "no devices: no backend plugin was found; "
                                                "see `cuv doctor`")


def plugin_list_command(json: bool = _model.JSON) -> None:
    """List the plugins found, and those turned away with the reason."""
    from .. import _registry

    known = _registry.describe()
    if json:
        _output.emit_json({key: known[key] for key in ("plugins", "formats", "rejected",
                                                       "searched")})
        return
    from rich.table import Table

    table = Table()
    for column in ("plugin", "version", "kinds", "from", "path"):
        table.add_column(column, overflow="fold")
    for plugin in known["plugins"]:
        table.add_row(plugin["id"], plugin["version"], ", ".join(plugin["kinds"]),
                      plugin["origin"], plugin["path"])
    console = _output.console()
    console.print(table)
    for rejected in known["rejected"]:
        console.print(f"turned away: {rejected['path']}: {rejected['reason']}", markup=False)
