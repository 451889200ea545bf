/**
 * The reserve of the stream LOG. When it is almost full, new actors and requests are refused, so
 * that what actors have begun, and above all their end, still finds room. In case the stream is full
 * to the last byte all the same, such as after STORE_MAX_MIB was lowered, it has a ballast: records
 * that mean nothing, one of which is removed when such an entry finds no room, and which come back
 * when there is room again.
 */
import type { Logger } from 'pino'
import { subjects } from '../../proto/subjects.ts'
import type { Clock, Timer } from '../lib/clock.ts'
import {
  isFull,
  StoreConflict,
  StoreFull,
  StoreUnavailable,
  type LogStore,
  type StreamUsage,
} from '../store/store.ts'
import { actorLimits } from './limits.ts'

export interface LogRoom {
  /** True if only entries that may use the reserve are to be written. */
  readonly isTight: boolean
  /** Removes a part of the ballast; false if none is left. */
  release(): Promise<boolean>
}

/** Without a limit, for stores that have none. */
export const ampleRoom: LogRoom = { isTight: false, release: async () => false }

export interface LogReserveDeps {
  readonly log: LogStore
  readonly usage: () => Promise<StreamUsage>
  readonly clock: Pick<Clock, 'timer'>
  readonly logger: Logger
}

const ballastSubject = (part: number) => subjects.log('ballast', `${part}`)

export class LogReserve implements LogRoom {
  readonly #deps: LogReserveDeps
  /** `unknown`: this process has not tried to write it yet, so it may be there. */
  readonly #parts: ('unknown' | 'there' | 'gone')[]
  #isTight = false
  #timer: Timer | undefined
  #stopped = false

  private constructor(deps: LogReserveDeps) {
    this.#deps = deps
    this.#parts = Array.from({ length: actorLimits.ballastParts }, () => 'unknown')
  }

  static async open(deps: LogReserveDeps): Promise<LogReserve> {
    const reserve = new LogReserve(deps)
    await reserve.#turn()
    return reserve
  }

  get isTight(): boolean {
    return this.#isTight
  }

  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
  }

  async release(): Promise<boolean> {
    const part = this.#parts.findIndex((state) => state !== 'gone')
    if (part === -1) return false
    this.#tell(true)
    this.#parts[part] = 'gone'
    try {
      await this.#deps.log.purge(ballastSubject(part))
    } catch (error) {
      // It may be gone all the same: the entry that needs the room is tried again.
      if (!(error instanceof StoreUnavailable)) throw error
    }
    return true
  }

  async #turn(): Promise<void> {
    await this.check()
    if (this.#stopped) return
    this.#timer = this.#deps.clock.timer(actorLimits.logRoomCheckMs, () => void this.#turn())
  }

  /** Looks how full the stream is, and restores the ballast if there is room. */
  async check(): Promise<void> {
    try {
      this.#tell(isFull(await this.#deps.usage()))
      for (const [part, state] of this.#parts.entries()) {
        if (!this.#isTight && state !== 'there') await this.#restore(part)
      }
    } catch (error) {
      // While the store does not answer, what was known last holds; a full one has no room for it.
      if (!(error instanceof StoreUnavailable)) throw error
    }
  }

  #tell(isTight: boolean): void {
    const text =
      'the store is full and refuses writes, except ends of sessions and tasks: raise ' +
      'STORE_MAX_MIB (and max_file_store of a separate nats-server)'
    if (isTight && !this.#isTight) this.#deps.logger.error(text)
    this.#isTight = isTight
  }

  async #restore(part: number): Promise<void> {
    try {
      await this.#deps.log.append(ballastSubject(part), new Uint8Array(actorLimits.entryBytes), 0)
    } catch (error) {
      if (error instanceof StoreFull) this.#tell(true)
      // A conflict: it is there already.
      if (!(error instanceof StoreConflict)) throw error
    }
    this.#parts[part] = 'there'
  }
}
