/**
 * How many connections the browsers of this host may have. Each takes two descriptors of this
 * process; a part of them is kept for everything else that it does.
 */
import { readFileSync } from 'node:fs'
import type { ConnectionLoad } from '../../../proto/host-counts.ts'
import { egressLimits } from '../limits.ts'

export interface ConnectionRoomOptions {
  /** The most connections of one browser. */
  readonly perBrowser?: number
  /** The most file descriptors of this process. */
  readonly descriptors?: number
  /** How long the head of a request may take. */
  readonly requestHeadMs?: number
}

export class ConnectionRoom {
  readonly perBrowser: number
  readonly requestHeadMs: number
  readonly #most: number
  #open = 0
  #refused = 0

  constructor({ perBrowser, descriptors, requestHeadMs }: ConnectionRoomOptions = {}) {
    this.perBrowser = perBrowser ?? egressLimits.connectionsPerBrowser
    this.requestHeadMs = requestHeadMs ?? egressLimits.requestHeadMs
    const share = (descriptors ?? descriptorsMost()) * egressLimits.descriptorShare
    this.#most = Math.floor(share / 2)
  }

  get open(): number {
    return this.#open
  }

  /** Since the start of this process. */
  get refused(): number {
    return this.#refused
  }

  load(): ConnectionLoad {
    return { open: this.#open, refused: this.#refused }
  }

  /** False if there is no more room, which counts as refused. */
  take(): boolean {
    if (this.#open >= this.#most) {
      this.refuse()
      return false
    }
    this.#open++
    return true
  }

  give(): void {
    this.#open--
  }

  refuse(): void {
    this.#refused++
  }
}

/** Node raises the soft limit to the hard one when it starts. */
function descriptorsMost(): number {
  const found = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))
  return found ? Number(found[1]) : egressLimits.descriptorsUnlimited
}
