// SPDX-License-Identifier: Apache-2.0
// The custom directive that prints an op's kind as a bare word.
#include "cuvil/IR/CuvilOps.h"

using namespace mlir;

ParseResult cuvil::parseKeyword(OpAsmParser &parser, StringAttr &keyword) {
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  keyword = parser.getBuilder().getStringAttr(word);
  return success();
}

void cuvil::printKeyword(OpAsmPrinter &printer, Operation *,
                         StringAttr keyword) {
  printer << keyword.getValue();
}
