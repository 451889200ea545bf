/**
 * Tells systemd what becomes of the service that it started: `sd_notify(3)`, for units of
 * `Type=notify`. Started by anything else, it does nothing. Node has no datagrams over Unix sockets, so
 * `systemd-notify` sends them.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Beats per time that systemd waits for one: a beat may be late, or not sent since another message is. */
const beatsPerWait = 3

export class ServiceManager {
  /** Of `systemd-notify`; undefined if no service manager has started this process. */
  readonly #environment: NodeJS.ProcessEnv | undefined
  readonly #onFailure: (error: unknown) => void
  /** Undefined if systemd waits for no beats. */
  readonly #beatMs: number | undefined
  #sent = Promise.resolve()
  #waiting = 0

  /**
   * Takes from the environment what systemd has put there, so that no child of this process has it.
   * `onFailure`: systemd could not be told.
   */
  constructor(onFailure: (error: unknown) => void, environment: NodeJS.ProcessEnv = process.env) {
    this.#onFailure = onFailure
    const { PATH, NOTIFY_SOCKET } = environment
    if (NOTIFY_SOCKET !== undefined) this.#environment = { PATH, NOTIFY_SOCKET }
    const { WATCHDOG_USEC: waitUs, WATCHDOG_PID: pid = String(process.pid) } = environment
    if (waitUs !== undefined && pid === String(process.pid)) {
      this.#beatMs = Number(waitUs) / 1_000 / beatsPerWait
    }
    for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID']) delete environment[name]
  }

  /** It serves. From now on systemd notices if this process no longer runs its events. */
  ready(status: string): void {
    this.#tell('READY=1', `STATUS=${status}`)
    if (this.#beatMs === undefined) return
    setInterval(() => {
      if (this.#waiting === 0) this.#tell('WATCHDOG=1')
    }, this.#beatMs).unref()
  }

  /** One line, for `systemctl status`. */
  status(text: string): void {
    this.#tell(`STATUS=${text}`)
  }

  /** The beats go on, since a drain takes its time. */
  stopping(): void {
    this.#tell('STOPPING=1', 'STATUS=draining')
  }

  #tell(...assignments: string[]): void {
    const env = this.#environment
    if (!env) return
    this.#waiting++
    this.#sent = this.#sent
      .then(() => run('systemd-notify', assignments, { env }))
      .then(() => undefined, this.#onFailure)
      .finally(() => this.#waiting--)
  }
}
