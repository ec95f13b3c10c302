// SPDX-License-Identifier: Apache-2.0
// How many threads this process may use.
#ifndef CUVIL_RUNTIME_CPUCOUNT_H
#define CUVIL_RUNTIME_CPUCOUNT_H

#include <string>

namespace cuvil {

/// The CPU quota of the process's control group and its ancestors (v1 and v2),
/// in whole CPUs, rounded up; 0 = none. `root` stands for "/" in tests.
unsigned getCgroupQuota(const std::string &root = "");

/// CUVIL_NUM_THREADS, else OMP_NUM_THREADS, else the smaller of the affinity
/// mask and the quota. At least 1.
unsigned getDefaultThreadCount();

} // namespace cuvil

#endif // CUVIL_RUNTIME_CPUCOUNT_H
