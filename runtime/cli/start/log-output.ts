/**
 * Destination of the JSON log: stderr for log collectors; or, if a person uses the terminal, a file
 * of limited size, so that the screen stays readable.
 */
import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { makeDataDir } from '../../process/supervisor/lock.ts'
import { cliLimits } from '../limits.ts'

export interface LogOutput {
  /** Path of the log file; undefined if it goes to stderr. */
  readonly path?: string
  write(text: string): void
}

export function openLogOutput(dataDir: string): LogOutput {
  if (!process.stderr.isTTY) return { write: (text) => void process.stderr.write(text) }
  makeDataDir(dataDir)
  return new LogFile(join(dataDir, 'troupe.log'))
}

/** At most two files: a full one is renamed to `.1` and replaces the previous one. */
class LogFile implements LogOutput {
  readonly path: string
  #file: number
  #bytes: number

  constructor(path: string) {
    this.path = path
    this.#file = openSync(path, 'a', 0o600)
    this.#bytes = fstatSync(this.#file).size
  }

  write(text: string): void {
    if (this.#bytes > cliLimits.logFileBytes) this.#rotate()
    this.#bytes += writeSync(this.#file, text)
  }

  #rotate(): void {
    closeSync(this.#file)
    renameSync(this.path, `${this.path}.1`)
    this.#file = openSync(this.path, 'a', 0o600)
    this.#bytes = 0
  }
}
