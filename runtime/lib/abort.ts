/** Waiting that an AbortSignal ends. */

export function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Throws the signal's reason once it aborts; the work continues and its result is ignored. */
export async function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let leave = () => {}
  const gone = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason as Error)
    signal.addEventListener('abort', leave, { once: true })
  })
  if (signal.aborted) leave()
  try {
    return await Promise.race([gone, work])
  } finally {
    signal.removeEventListener('abort', leave)
  }
}
