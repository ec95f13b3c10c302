# SPDX-License-Identifier: Apache-2.0
"""Models built in PyTorch and exported to ONNX once, into the test cache."""

import importlib.metadata
from collections.abc import Callable
from pathlib import Path

from .cache import cached
from .packaged import MINILM_WEIGHTS
from .torchvision_compat import import_torchvision, import_transformers

_OPSET = 20
_RECIPE = 3  # Raise when anything below changes what is exported.


def resnet50(path: Path) -> None:
    """ResNet-50, f32[1, 3, 224, 224] to f32[1, 1000]."""
    _export_image_model(import_torchvision().models.resnet50, path)


def mobilenetv2(path: Path) -> None:
    """MobileNetV2, f32[1, 3, 224, 224] to f32[1, 1000]."""
    _export_image_model(import_torchvision().models.mobilenet_v2, path)


def bert_base_s128(path: Path) -> None:
    """BERT-base, i64[1, 128] ids and mask to the last hidden state and pooler."""
    import torch

    transformers = import_transformers()
    torch.manual_seed(3)
    model = transformers.BertModel(
        transformers.BertConfig(attn_implementation="eager")
    )
    ids = torch.randint(0, 30522, (1, 128))
    mask = torch.ones_like(ids)
    _export(
        _Encoder(model, pooled=True), (ids, mask), path,
        inputs=["input_ids", "attention_mask"],
        outputs=["last_hidden_state", "pooler_output"],
    )


def minilm(path: Path) -> None:
    """all-MiniLM-L6-v2 with trained weights; batch and sequence are dynamic."""
    import torch

    folder = MINILM_WEIGHTS.locate().parent
    model = import_transformers().BertModel.from_pretrained(
        folder, attn_implementation="eager", local_files_only=True
    )
    ids = torch.randint(0, 30522, (2, 7))
    mask = torch.ones_like(ids)
    sizes = {0: "batch", 1: "sequence"}
    _export(
        _Encoder(model, pooled=False), (ids, mask), path,
        inputs=["input_ids", "attention_mask"], outputs=["last_hidden_state"],
        dynamic_shapes=(sizes, sizes),
    )


def mlp(path: Path) -> None:
    """Linear 784-128, ReLU, linear 128-10; the batch is dynamic."""
    import torch

    torch.manual_seed(4)
    model = torch.nn.Sequential(
        torch.nn.Linear(784, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10)
    )
    _export(
        model, (torch.randn(2, 784),), path, inputs=["x"], outputs=["logits"],
        dynamic_shapes=({0: "batch"},),
    )


EXPORTED_MODELS: dict[str, Callable[[Path], None]] = {
    "minilm": minilm,
    "resnet50": resnet50,
    "mobilenetv2": mobilenetv2,
    "bert_base_s128": bert_base_s128,
    "mlp": mlp,
}


def locate(name: str) -> Path:
    """Returns the exported model's file, exporting it when it is not cached."""
    torch_version = importlib.metadata.version("torch").split("+")[0]
    file_name = f"{name}-r{_RECIPE}-op{_OPSET}-torch{torch_version}.onnx"
    return cached(file_name, EXPORTED_MODELS[name])


def _Encoder(model, pooled: bool):
    import torch

    class Encoder(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, input_ids, attention_mask):
            out = self.model(input_ids=input_ids, attention_mask=attention_mask)
            if pooled:
                return out.last_hidden_state, out.pooler_output
            return out.last_hidden_state

    return Encoder()


def _export_image_model(build: Callable, path: Path) -> None:
    import torch

    torch.manual_seed(2)
    model = build(weights=None)
    _randomise_batch_norms(model)
    _export(model, (torch.randn(1, 3, 224, 224),), path,
            inputs=["x"], outputs=["logits"])


def _randomise_batch_norms(model) -> None:
    """Gives every batch norm its own parameters and fitting statistics.

    Fresh ones are close to the identity, which would hide a wrong fold; the
    statistics come from one training pass so that activations stay in range.
    """
    import torch

    norms = [m for m in model.modules() if isinstance(m, torch.nn.BatchNorm2d)]
    for norm in norms:
        torch.nn.init.uniform_(norm.weight, 0.5, 1.5)
        torch.nn.init.normal_(norm.bias, std=0.1)
        norm.momentum = None
    with torch.no_grad():
        model.train()(torch.randn(4, 3, 224, 224))


def _export(model, args, path: Path, *, inputs, outputs, dynamic_shapes=None):
    import onnxscript.optimizer
    import torch

    program = torch.onnx.export(
        model.eval(), args, dynamo=True, opset_version=_OPSET,
        input_names=inputs, output_names=outputs, dynamic_shapes=dynamic_shapes,
        optimize=False, verbose=False,
    )
    # The exporter's own optimisation would also fold batch norms into
    # convolutions, which is work of the compiler under test.
    onnxscript.optimizer.inline(program.model)
    onnxscript.optimizer.fold_constants_ir(program.model)
    onnxscript.optimizer.remove_unused_nodes(program.model)
    program.save(path, external_data=False)
