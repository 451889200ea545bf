import type { ConsoleFile } from '../page.ts'
import type { ConsoleVisit } from '../visit.ts'
import type { SendEvent } from './feeds.ts'

/**
 * Opens a stream for the visit's key, until its sign-in ends. `start` is that of
 * `ConsoleFeeds.open`.
 */
export function openFeed(
  { deps, facts }: ConsoleVisit,
  start: (send: SendEvent, end: () => void) => () => void,
): ConsoleFile {
  const reader = { keyId: facts.principal.keyId, endsAtMs: facts.endsAtMs }
  return { file: deps.feeds.open(reader, start) }
}
