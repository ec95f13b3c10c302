# SPDX-License-Identifier: Apache-2.0
"""Programs that use Cuvil as its users do."""
