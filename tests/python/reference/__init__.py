# SPDX-License-Identifier: Apache-2.0
"""The reference kernels against numpy, the ONNX reference and PyTorch."""
