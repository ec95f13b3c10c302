// SPDX-License-Identifier: Apache-2.0
// Drives MLIR lowering, LLVM optimisation and machine code emission.
#include "ObjectEmitter.h"

#include "DebugLines.h"
#include "HalfFloats.h"
#include "VectorMath.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

using namespace mlir;
using namespace cuvil::x86;

void cuvil::x86::registerCodegenDialects(DialectRegistry &registry) {
  registry
      .insert<affine::AffineDialect, arith::ArithDialect,
              cf::ControlFlowDialect, func::FuncDialect, index::IndexDialect,
              LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
              scf::SCFDialect, vector::VectorDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

LogicalResult cuvil::x86::lowerToLLVMDialect(ModuleOp module,
                                             const CpuTarget &target) {
  PassManager pm(module.getContext());
  pm.addPass(createExpandVectorMathPass(target.hasFma));
  pm.addPass(createConvertVectorToSCFPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createConvertSCFToCFPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  // Few CPUs convert to bf16, and those that do flush subnormal numbers.
  arith::ArithExpandOpsPassOptions expansion;
  expansion.includeBf16 = true;
  pm.addPass(arith::createArithExpandOpsPass(expansion));
  if (target.isa < IsaLevel::AVX2) // The first with F16C for sure.
    pm.addPass(createExpandHalfFloatsPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  return pm.run(module);
}

static llvm::Error codegenError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const CpuTarget &target) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
  constexpr const char *triple = "x86_64-unknown-linux-gnu";
  std::string error;
  const llvm::Target *entry = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!entry)
    return codegenError("this LLVM has no x86-64 target: " + error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(entry->createTargetMachine(
      triple, target.cpu, target.features, options, llvm::Reloc::PIC_,
      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
  if (!machine)
    return codegenError("cannot create code generator for " + target.cpu);
  return machine;
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine,
                     const EmitOptions &options) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = options.loopVectorize;
  tuning.SLPVectorization = options.slpVectorize;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2)
      .run(module, modules);
}

static bool isHalf(llvm::Type *type) {
  return type->getScalarType()->isBFloatTy() ||
         type->getScalarType()->isHalfTy();
}

static llvm::Type *bitsOfHalf(llvm::Type *type) {
  llvm::Type *bits = llvm::Type::getInt16Ty(type->getContext());
  if (auto *vector = llvm::dyn_cast<llvm::VectorType>(type))
    bits = llvm::VectorType::get(bits, vector->getElementCount());
  return bits;
}

/// Moves 16-bit floats as integers: where they are no register type, LLVM
/// would go through f32 and call a library to come back. Comes after its
/// optimiser, which undoes this.
static void moveHalvesAsIntegers(llvm::Module &module) {
  llvm::SmallVector<llvm::Instruction *> moves;
  for (llvm::Function &function : module)
    for (llvm::Instruction &inst : llvm::instructions(function))
      if ((isHalf(inst.getType()) &&
           llvm::isa<llvm::SelectInst, llvm::InsertElementInst,
                     llvm::ExtractElementInst, llvm::ShuffleVectorInst,
                     llvm::LoadInst>(inst)) ||
          (llvm::isa<llvm::StoreInst>(inst) &&
           isHalf(inst.getOperand(0)->getType())))
        moves.push_back(&inst);
  for (llvm::Instruction *move : moves) {
    llvm::IRBuilder<> b(move);
    for (llvm::Use &operand : move->operands()) {
      if (!isHalf(operand->getType()))
        continue;
      // Between blocks, too, values have to be integers.
      llvm::Type *bits = bitsOfHalf(operand->getType());
      auto *cast = llvm::dyn_cast<llvm::BitCastInst>(operand);
      operand.set(cast && cast->getSrcTy() == bits
                      ? cast->getOperand(0)
                      : b.CreateBitCast(operand, bits));
    }
    if (llvm::isa<llvm::StoreInst>(move))
      continue;
    llvm::Type *type = move->getType();
    llvm::Instruction *copy = move->clone();
    copy->mutateType(bitsOfHalf(type));
    b.Insert(copy);
    move->replaceAllUsesWith(b.CreateBitCast(copy, type));
    move->eraseFromParent();
  }
}

llvm::Expected<std::string> cuvil::x86::emitModule(ModuleOp module,
                                                   const CpuTarget &target,
                                                   const EmitOptions &options) {
  attachDebugLines(module, options.lineOf ? options.lineOf : firstFileLine);

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code =
      translateModuleToLLVMIR(module, context, "cuvil");
  if (!code)
    return codegenError("a kernel cannot be translated to LLVM IR");

  auto machine = createTargetMachine(target);
  if (!machine)
    return machine.takeError();
  code->setTargetTriple((*machine)->getTargetTriple().str());
  code->setDataLayout((*machine)->createDataLayout());
  code->addModuleFlag(llvm::Module::Warning, "Dwarf Version", 5);
  for (llvm::Function &function : *code) {
    function.addFnAttr("target-cpu", target.cpu);
    if (!target.features.empty())
      function.addFnAttr("target-features", target.features);
    if (target.isa == IsaLevel::AVX512)
      function.addFnAttr("prefer-vector-width", "512");
    // Traps leave no state that an unwinder could need.
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
  optimize(*code, **machine, options);
  moveHalvesAsIntegers(*code);

  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream os(bytes);
  if (options.output == EmitOptions::Output::LLVMIR) {
    code->print(os, nullptr);
    return std::string(bytes.data(), bytes.size());
  }
  llvm::legacy::PassManager emission;
  bool assembly = options.output == EmitOptions::Output::Assembly;
  if ((*machine)->addPassesToEmitFile(emission, os, nullptr,
                                      assembly
                                          ? llvm::CodeGenFileType::AssemblyFile
                                          : llvm::CodeGenFileType::ObjectFile))
    return codegenError("this LLVM cannot emit x86-64 code");
  emission.run(*code);
  return std::string(bytes.data(), bytes.size());
}
