# SPDX-License-Identifier: Apache-2.0
"""Sizes as text: integer expressions over named symbols, e.g. ``2 * n + 1``."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from .errors import InputError

_TOKEN = re.compile(
    r'\s*(?:(?P<int>\d+)|@?(?P<name>[A-Za-z_][\w.$]*)|@?"(?P<quoted>(?:[^"\\]|\\.)*)"'
    r"|(?P<op>//|[-+*%(),]))"
)
_CALLS = ("floordiv", "ceildiv", "mod", "min", "max", "bcast")


class Parser:
    """Turns one text into whatever `const`, `symbol` and `binary` make.

    Grammar: sums and differences of products; ``//`` and ``%`` bind as ``*``;
    calls of floordiv, ceildiv, mod, min, max and bcast.
    """

    def __init__(self, const: Callable[[int], Any], symbol: Callable[[str], Any],
                 binary: Callable[[str, Any, Any], Any]):
        self.const, self.symbol, self.binary = const, symbol, binary

    def parse(self, text: str) -> Any:
        self.text, self.at = text, 0
        self.tokens = self._split(text)
        result = self._sum()
        if self._peek() is not None:
            self._fail(f"unexpected {self._peek()[1]!r}")
        return result

    def _split(self, text: str) -> list[tuple[str, str]]:
        tokens, at = [], 0
        while at < len(text.rstrip()):
            match = _TOKEN.match(text, at)
            if not match:
                self._fail(f"unexpected {text[at:].strip()[0]!r}")
            tokens.append((match.lastgroup, match.group(match.lastgroup)))
            at = match.end()
        return tokens

    def _fail(self, problem: str):
        raise InputError(f"size expression {self.text!r}: {problem}",
                         hint="a size is an int, a name, or an expression of names "
                              "such as '2 * n + 1'")

    def _peek(self) -> tuple[str, str] | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def _accept(self, *ops: str) -> str | None:
        token = self._peek()
        if token and token[0] == "op" and token[1] in ops:
            self.at += 1
            return token[1]
        return None

    def _sum(self) -> Any:
        result = self._product()
        while op := self._accept("+", "-"):
            term = self._product()
            if op == "-":
                term = self.binary("mul", self.const(-1), term)
            result = self.binary("add", result, term)
        return result

    def _product(self) -> Any:
        result = self._factor()
        while op := self._accept("*", "//", "%"):
            kind = {"*": "mul", "//": "floordiv", "%": "mod"}[op]
            result = self.binary(kind, result, self._factor())
        return result

    def _factor(self) -> Any:
        if self._accept("-"):
            return self.binary("mul", self.const(-1), self._factor())
        if self._accept("("):
            result = self._sum()
            if not self._accept(")"):
                self._fail("a parenthesis is not closed")
            return result
        token = self._peek()
        if token is None or token[0] == "op":
            self._fail("a size or name is missing")
        self.at += 1
        kind, text = token
        if kind == "int":
            return self.const(int(text))
        if kind == "name" and self._accept("("):
            return self._call(text)
        return self.symbol(text)

    def _call(self, name: str) -> Any:
        if name not in _CALLS:
            self._fail(f"no function {name!r}; known: {', '.join(_CALLS)}")
        result = self._sum()
        count = 1
        while self._accept(","):
            result = self.binary(name, result, self._sum())
            count += 1
        if count < 2 or not self._accept(")"):
            self._fail(f"{name} takes two or more arguments in parentheses")
        return result
