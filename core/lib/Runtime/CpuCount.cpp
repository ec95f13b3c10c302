// SPDX-License-Identifier: Apache-2.0
// Reads affinity mask, cgroup quota and environment.
#include "cuvil/Runtime/CpuCount.h"
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sched.h>
#include <sstream>
#include <unistd.h>

namespace cuvil {
namespace {

constexpr unsigned kMaxThreads = 1024;

unsigned ceilQuota(long long quota, long long period) {
  if (quota <= 0 || period <= 0)
    return 0;
  return std::min<long long>((quota + period - 1) / period, kMaxThreads);
}

unsigned tighter(unsigned a, unsigned b) {
  if (a == 0 || b == 0)
    return std::max(a, b);
  return std::min(a, b);
}

unsigned readV2(const std::string &folder) {
  std::ifstream file(folder + "/cpu.max");
  std::string quota;
  long long period = 0;
  if (!(file >> quota >> period) || quota == "max")
    return 0;
  return ceilQuota(std::atoll(quota.c_str()), period);
}

unsigned readV1(const std::string &folder) {
  std::ifstream quotaFile(folder + "/cpu.cfs_quota_us");
  std::ifstream periodFile(folder + "/cpu.cfs_period_us");
  long long quota = 0, period = 0;
  if (!(quotaFile >> quota) || !(periodFile >> period))
    return 0;
  return ceilQuota(quota, period);
}

/// The tightest limit from the group up to the mount point.
template <typename Read>
unsigned readUpwards(const std::string &mount, std::string group, Read read) {
  unsigned limit = 0;
  while (true) {
    limit = tighter(limit, read(mount + group));
    size_t slash = group.rfind('/');
    if (slash == std::string::npos)
      return limit;
    group.resize(slash);
  }
}

unsigned affinityCount() {
  for (int cpus = 1024; cpus <= 1 << 16; cpus *= 2) {
    cpu_set_t *set = CPU_ALLOC(cpus);
    if (!set)
      break;
    size_t size = CPU_ALLOC_SIZE(cpus);
    CPU_ZERO_S(size, set);
    int rc = sched_getaffinity(0, size, set);
    unsigned count = rc == 0 ? CPU_COUNT_S(size, set) : 0;
    CPU_FREE(set);
    if (count)
      return count;
  }
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? online : 1;
}

/// The first number of a variable; 0 = not set or not a positive number.
unsigned fromEnvironment(const char *name) {
  const char *text = std::getenv(name);
  if (!text)
    return 0;
  long value = std::strtol(text, nullptr, 10);
  return value > 0 ? std::min<long>(value, kMaxThreads) : 0;
}

} // namespace

unsigned getCgroupQuota(const std::string &root) {
  std::ifstream groups(root + "/proc/self/cgroup");
  unsigned limit = 0;
  for (std::string line; std::getline(groups, line);) {
    size_t first = line.find(':');
    size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos)
      continue;
    std::string controllers = line.substr(first + 1, second - first - 1);
    std::string group = line.substr(second + 1);
    if (group == "/")
      group.clear();
    if (controllers.empty()) {
      limit = tighter(limit,
                      readUpwards(root + "/sys/fs/cgroup", group, readV2));
      continue;
    }
    std::stringstream names(controllers);
    for (std::string name; std::getline(names, name, ',');)
      if (name == "cpu")
        for (const std::string &mount : {controllers, name})
          limit = tighter(limit, readUpwards(root + "/sys/fs/cgroup/" + mount,
                                             group, readV1));
  }
  return limit;
}

unsigned getDefaultThreadCount() {
  for (const char *name : {"CUVIL_NUM_THREADS", "OMP_NUM_THREADS"})
    if (unsigned n = fromEnvironment(name))
      return n;
  return std::max(1u, tighter(affinityCount(), getCgroupQuota()));
}

} // namespace cuvil
