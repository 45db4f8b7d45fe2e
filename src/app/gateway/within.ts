class TimeoutError extends Error {
  override readonly name = 'timeout';
}

/** The same promise, which rejects with an error named `timeout` when it takes longer than `ms`. */
export function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new TimeoutError()), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
