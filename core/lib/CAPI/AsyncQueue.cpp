// SPDX-License-Identifier: Apache-2.0
// A bounded queue with as many threads as a run may use.
#include "AsyncQueue.h"
#include "cuvil/Runtime/WorkerPool.h"
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <mutex>
#include <pthread.h>
#include <system_error>
#include <thread>

namespace cuvil {
namespace {

constexpr size_t kMaxWaiting = 4096;

class AsyncQueue {
public:
  /// Leaked: its threads may outlive main.
  static AsyncQueue &get();

  Status submit(std::function<void()> task) {
    std::lock_guard<std::mutex> lock(mutex);
    if (tasks.size() >= kMaxWaiting)
      return Status(CUVIL_RESOURCE_EXHAUSTED,
                    "too many calls are waiting (" +
                        std::to_string(kMaxWaiting) + ")",
                    "", "wait for some to complete before submitting more");
    if (idle <= tasks.size() && numThreads < WorkerPool::getSize())
      if (Status s = startThread(); s.failed() && numThreads == 0)
        return s;
    tasks.push_back(std::move(task));
    wake.notify_one();
    return {};
  }

private:
  Status startThread() {
    // Signals are for the threads of the application.
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    Status status;
    try {
      std::thread([this] { work(); }).detach();
      ++numThreads;
    } catch (const std::system_error &e) {
      status = Status(CUVIL_RESOURCE_EXHAUSTED,
                      std::string("cannot start a thread: ") + e.what());
    }
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
    return status;
  }

  void work() {
    pthread_setname_np(pthread_self(), "cuvil-async");
    std::unique_lock<std::mutex> lock(mutex);
    while (true) {
      ++idle;
      wake.wait(lock, [this] { return !tasks.empty(); });
      --idle;
      std::function<void()> task = std::move(tasks.front());
      tasks.pop_front();
      lock.unlock();
      task();
      task = nullptr;
      lock.lock();
    }
  }

  std::mutex mutex;
  std::condition_variable wake;
  std::deque<std::function<void()>> tasks;
  size_t idle = 0;
  unsigned numThreads = 0;
};

std::atomic<AsyncQueue *> currentQueue{nullptr};

AsyncQueue &AsyncQueue::get() {
  AsyncQueue *queue = currentQueue.load(std::memory_order_acquire);
  if (queue)
    return *queue;
  static const int registered = pthread_atfork(
      nullptr, nullptr, [] { currentQueue.store(nullptr); });
  (void)registered;
  auto *fresh = new AsyncQueue;
  if (currentQueue.compare_exchange_strong(queue, fresh))
    return *fresh;
  delete fresh;
  return *queue;
}

} // namespace

Status submitTask(std::function<void()> task) {
  return AsyncQueue::get().submit(std::move(task));
}

} // namespace cuvil
