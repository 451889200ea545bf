/**
 * The process of an agent: its program in an empty folder, as leader of a process group that the
 * guard kills if this process dies. The protocol uses stdin and stdout; the end of stderr is kept,
 * because such programs report errors there.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import type { ReadableStream, WritableStream } from 'node:stream/web'
import { ndJsonStream, type Stream } from '@agentclientprotocol/sdk'
import { settleWithin, type Clock } from '../../../runtime/lib/clock.ts'
import {
  killGroup,
  spawnGuarded,
  type Guard,
  type GuardedProcess,
  type ProcessExit,
} from '../../../runtime/process/guard.ts'
import { agentEnvironment } from './environment.ts'
import type { AgentSpec } from './registry.ts'
import { taskRunLimits } from '../limits.ts'

export class AgentProcess {
  /** Created empty, and removed at the end. */
  readonly folder: string
  readonly stream: Stream
  readonly exited: Promise<ProcessExit>
  readonly #guard: Guard
  readonly #clock: Clock
  readonly #key: string
  readonly #process: GuardedProcess
  #stderrTail = ''

  /** `key` is unique in the guard. */
  constructor(guard: Guard, clock: Clock, key: string, program: string, spec: AgentSpec) {
    this.#guard = guard
    this.#clock = clock
    this.#key = key
    this.folder = mkdtempSync(join(tmpdir(), 'troupe-agent-'))
    this.#process = spawnGuarded(guard, program, spec.args, {
      key,
      paths: [this.folder],
      cwd: this.folder,
      env: agentEnvironment(process.env, spec.env),
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    const { child, exited } = this.#process
    this.exited = exited
    const { stdin, stdout, stderr } = child
    stderr!.setEncoding('utf8').on('data', (text: string) => this.#addStderr(text))
    // The streams end with the process, and only its exit is awaited.
    for (const stream of [stdin!, stdout!, stderr!]) stream.on('error', () => {})
    this.stream = ndJsonStream(
      Writable.toWeb(stdin!) as WritableStream<Uint8Array>,
      Readable.toWeb(stdout!) as ReadableStream<Uint8Array>,
      { maxMessageBytes: taskRunLimits.agentLineBytes },
    )
  }

  /** The end of its stderr. */
  get stderrTail(): string {
    return this.#stderrTail
  }

  /** Sends SIGTERM, then SIGKILL to the whole group, and removes its folder. */
  async end(): Promise<void> {
    const { group } = this.#process
    if (group) {
      terminate(group.pgid)
      await settleWithin(this.#clock, taskRunLimits.agentTermMs, this.exited)
      killGroup(group)
      await settleWithin(this.#clock, taskRunLimits.agentReapMs, this.exited)
    }
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 })
    this.#guard.release(this.#key)
  }

  #addStderr(text: string): void {
    this.#stderrTail = (this.#stderrTail + text).slice(-taskRunLimits.agentStderrChars)
  }
}

function terminate(pgid: number): void {
  try {
    process.kill(-pgid, 'SIGTERM')
  } catch (error) {
    // It has already ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
