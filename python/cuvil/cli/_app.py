# SPDX-License-Identifier: Apache-2.0
"""All commands, put together."""

from __future__ import annotations

import typer

from . import bench, compile, devices, doctor, explain, run

app = typer.Typer(
    name="cuv", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False,
    help="Cuvil compiles neural networks to native code.")
plugin = typer.Typer(no_args_is_help=True, help="Plugins: frontends and backends.")
app.add_typer(plugin, name="plugin")

app.command("compile")(compile.compile_command)
app.command("run")(run.run_command)
app.command("bench")(bench.bench_command)
app.command("explain")(explain.explain_command)
app.command("devices")(devices.devices_command)
app.command("doctor")(doctor.doctor_command)
plugin.command("list")(devices.plugin_list_command)


def _version(show: bool) -> None:
    if show:
        import cuvil

        typer.echo(cuvil.__version__)
        raise typer.Exit


@app.callback()
def _root(version: bool = typer.Option(False, "--version", callback=_version, is_eager=True,
                                       help="Print the version.")) -> None:
    pass
