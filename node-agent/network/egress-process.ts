/** One run of the egress process, from its start to its end, as its agent sees it. */
import type { SendHandle } from 'node:child_process'
import type { ConnectionLoad } from '../../proto/host-counts.ts'
import type { ListenerHandle } from '../../runtime/browser-host/isolation/own-network.ts'
import type { Clock, Timer } from '../../runtime/lib/clock.ts'
import { defined } from '../../proto/defined.ts'
import {
  killGroup,
  spawnGuarded,
  type Guard,
  type GuardedProcess,
  type ProcessExit,
} from '../../runtime/process/guard.ts'
import { programPath } from '../../runtime/process/programs.ts'
import type {
  EgressAnswerOf,
  EgressMessage,
  EgressOrderName,
  EgressOrderOf,
  EgressSettings,
} from '../egress/orders.ts'
import { networkLimits } from './limits.ts'

/** The process ended before it answered. */
export class EgressLost extends Error {
  override readonly name = 'EgressLost'
}

interface Asked {
  readonly timer: Timer
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: Error) => void
}

export interface EgressProcessOptions {
  readonly guard: Guard
  readonly clock: Clock
  readonly settings: EgressSettings
  readonly onLoad: (load: ConnectionLoad) => void
}

export class EgressProcess {
  readonly exited: Promise<ProcessExit>
  readonly #clock: Clock
  readonly #process: GuardedProcess
  readonly #asked = new Map<number, Asked>()
  #lastId = 0
  #isOver = false

  constructor({ guard, clock, settings, onLoad }: EgressProcessOptions) {
    this.#clock = clock
    const args = [
      '--enable-source-maps',
      `--max-old-space-size=${networkLimits.egressHeapMiB}`,
      programPath('egress'),
      JSON.stringify(settings),
    ]
    this.#process = spawnGuarded(guard, process.execPath, args, {
      key: 'egress',
      cwd: '/',
      env: egressEnv(),
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    this.#process.child.on('message', (message) => {
      const said = message as EgressMessage
      if ('load' in said) onLoad(said.load)
      else this.#settle(said)
    })
    this.exited = this.#process.exited.then((exit) => {
      this.#isOver = true
      for (const { timer, reject } of this.#asked.values()) {
        timer.cancel()
        reject(lost())
      }
      this.#asked.clear()
      return exit
    })
  }

  get pid(): number | undefined {
    return this.#process.child.pid
  }

  /** Throws {@link EgressLost} if it ends before; it is ended if it does not answer at all. */
  ask<Name extends EgressOrderName>(
    order: Name,
    what: EgressOrderOf<Name>,
    listener?: ListenerHandle,
  ): Promise<EgressAnswerOf<Name>> {
    return new Promise((resolve, reject) => {
      if (this.#isOver) return reject(lost())
      const id = ++this.#lastId
      const timer = this.#clock.timer(networkLimits.egressHungMs, () => this.kill())
      this.#asked.set(id, { timer, resolve: resolve as Asked['resolve'], reject })
      // A message that cannot be sent is answered by the end of the process.
      this.#process.child.send({ id, order, ...what }, listener as SendHandle, () => undefined)
    })
  }

  kill(): void {
    if (this.#process.group) killGroup(this.#process.group)
  }

  #settle(said: Exclude<EgressMessage, { readonly load: ConnectionLoad }>): void {
    const asked = this.#asked.get(said.id)
    if (!asked) return
    this.#asked.delete(said.id)
    asked.timer.cancel()
    if ('error' in said) asked.reject(new Error(said.error))
    else asked.resolve(said.answer)
  }
}

const lost = () => new EgressLost('the egress process of this host has ended')

/** The agent's own environment holds credentials; the certificates are for proxies with TLS. */
function egressEnv(): NodeJS.ProcessEnv {
  const { PATH, NODE_EXTRA_CA_CERTS, SSL_CERT_FILE, SSL_CERT_DIR } = process.env
  return defined({ PATH, NODE_EXTRA_CA_CERTS, SSL_CERT_FILE, SSL_CERT_DIR })
}
