// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.fusion.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @fusion_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{region arguments #0 has type tensor<5xf32>, expected tensor<4xf32> (fusion_c1)}}
  %r = cuvil.fusion "f" (%x) : (tensor<4xf32>) -> tensor<5xf32> {
  ^bb0(%a: tensor<5xf32>):
    cuvil.yield %a : tensor<5xf32>
  }
  return
}

// -----

func.func @fusion_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{yielded values #0 has type tensor<4xf32>, expected tensor<5xf32> (fusion_c2)}}
  %r = cuvil.fusion "f" (%x) : (tensor<4xf32>) -> tensor<5xf32> {
  ^bb0(%a: tensor<4xf32>):
    cuvil.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @fusion_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected no control flow inside, got cuvil.fusion (fusion_c3)}}
  %r = cuvil.fusion "f" (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %y = cuvil.fusion "g" (%a) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%b: tensor<4xf32>):
      cuvil.yield %b : tensor<4xf32>
    }
    cuvil.yield %y : tensor<4xf32>
  }
  return
}

// -----

func.func private @g()

func.func @fusion_c3_2(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected no control flow inside, got func.call (fusion_c3)}}
  %r = cuvil.fusion "f" (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    func.call @g() : () -> ()
    cuvil.yield %a : tensor<4xf32>
  }
  return
}
