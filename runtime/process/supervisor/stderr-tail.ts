/** The reason why a process ended, extracted from its last output as one line without a stack. */

const linesKept = 60
const charsKept = 500

export class StderrTail {
  #lines: string[] = []

  add(line: string): void {
    this.#lines.push(line)
    if (this.#lines.length > linesKept) this.#lines.shift()
  }

  /** Empty if its output explains nothing. */
  get text(): string {
    const lines = this.#lines.toReversed()
    const reason = lines.map(reasonIn).find((found) => found !== undefined)
    const line = reason ?? lines.find(isPlainText) ?? ''
    return line.replace(natsPrefix, '').trim().slice(0, charsKept)
  }
}

/** Process, date, time and level. */
const natsPrefix = /^\[\d+\] [\d/]+ [\d:.]+ \[[A-Z]{3}\] /

/** True unless it is a log entry or the version that Node prints below every stack. */
function isPlainText(line: string): boolean {
  return line.trim() !== '' && !line.startsWith('{') && !line.startsWith('Node.js v')
}

/**
 * Lines that contain a reason: `Name: message` at the top of a stack, a log entry of an error,
 * nats-server's `[FTL]`.
 */
function reasonIn(line: string): string | undefined {
  const thrown = /^(?:Uncaught )?[A-Z]\w*(?: \[\w+\])?: (.+)$/.exec(line)
  if (thrown) return thrown[1]
  const server = /\[(?:FTL|ERR)\] (.+)$/.exec(line)
  if (server) return server[1]
  return line.startsWith('{') ? reasonInEntry(line) : undefined
}

const pinoError = 50

function reasonInEntry(line: string): string | undefined {
  try {
    const entry = JSON.parse(line) as {
      level?: number
      msg?: string
      reason?: string
      err?: { message?: string }
    }
    if ((entry.level ?? 0) < pinoError) return undefined
    return [entry.msg, entry.reason ?? entry.err?.message].filter(Boolean).join(': ')
  } catch {
    // A line of text that only looks like a log entry.
    return undefined
  }
}
