/**
 * What an extension may not ask for. Measured with Chromium 156, in a browser that is restricted by an
 * extension of ours: a second one with `proxy` takes the proxy from it, one with `management` disables
 * it, one with `debugger` sees all targets, past the rules for clients. Where a browser has a network
 * of its own, its filter is outside of Chromium, and these change nothing.
 */

/** By permission, why it is refused, as the end of a sentence. */
const refused: Readonly<Record<string, string>> = {
  nativeMessaging: 'it starts programs of the host',
}

/** Allowed in a browser with a network of its own; sorted. */
const guarded: readonly string[] = ['debugger', 'management', 'privacy', 'proxy']

/** Undefined if it is allowed. */
export function refusalOfPermission(name: string): string | undefined {
  if (Object.hasOwn(refused, name)) return refused[name]
  // Chromium gives them to its own extensions, and to those that have the id of one.
  return /Private$/.test(name) ? 'it is for Chromium’s own extensions' : undefined
}

export const guardedAmong = (permissions: readonly string[]): readonly string[] =>
  guarded.filter((name) => permissions.includes(name))

/** Whether a pattern names files; `<all_urls>` does not, beside what it is for. */
export const namesFiles = (pattern: string): boolean => /^\s*file:/i.test(pattern)
