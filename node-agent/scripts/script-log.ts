/** The log lines of a script, within limits. */
import { scriptLimits } from './limits.ts'

export class ScriptLog {
  readonly #lines: string[] = []
  #chars = 0
  #dropped = 0

  add(line: string): void {
    const { logLines, logLineChars, logChars } = scriptLimits
    const kept = line.slice(0, logLineChars)
    if (this.#lines.length === logLines || this.#chars + kept.length > logChars) {
      this.#dropped++
      return
    }
    this.#chars += kept.length
    this.#lines.push(kept)
  }

  /** The last line says how many more were dropped. */
  get lines(): readonly string[] {
    if (this.#dropped === 0) return this.#lines
    return [...this.#lines, `… ${this.#dropped} more lines were not kept.`]
  }
}
