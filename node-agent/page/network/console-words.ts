/** What pages write to their console, as text. */

/** A value as Chromium describes it. */
interface Logged {
  readonly value?: unknown
  readonly description?: string
  readonly unserializableValue?: string
}

export const consoleWords = (args: readonly Logged[]): string => args.map(wordOf).join(' ')

export const exceptionText = ({
  text,
  exception,
}: {
  readonly text: string
  readonly exception?: Logged
}): string => exception?.description ?? `${text} ${wordOf(exception ?? {})}`

function wordOf({ value, description, unserializableValue }: Logged): string {
  if (typeof value === 'string') return value
  return unserializableValue ?? description ?? String(value)
}
