/** The clipboard of one display: read, written, and lent without a trace. */
import { limits } from '../../proto/limits.ts'
import { ServiceError } from '../../proto/errors.ts'
import { sleep, type Clock } from '../../runtime/clock.ts'
import type { DisplayConnection } from './display-connection.ts'
import { Loan } from './loan.ts'
import { SelectionOwner } from './selection-owner.ts'
import { SelectionReader } from './selection-reader.ts'
import { decode, offerOf, otherTargets, selectionAtoms, textOf, textTargets } from './selection.ts'
import type { Atoms, Content, Offer } from './selection.ts'

export class Clipboard {
  readonly #display: DisplayConnection
  readonly #clock: Clock
  readonly #atoms: Atoms
  readonly #owner: SelectionOwner
  readonly #reader: SelectionReader

  private constructor(display: DisplayConnection, clock: Clock, atoms: Atoms) {
    this.#display = display
    this.#clock = clock
    this.#atoms = atoms
    this.#owner = new SelectionOwner(display, atoms, clock)
    this.#reader = new SelectionReader(display, atoms, clock)
  }

  static async open(display: DisplayConnection, clock: Clock): Promise<Clipboard> {
    return new Clipboard(display, clock, await selectionAtoms(display))
  }

  /** Its text; empty when there is none. */
  async read(): Promise<string> {
    if (!(await this.#isAnothers())) return textOf(this.#owner.shown ?? new Map(), this.#atoms)
    const content = await this.#readText(await this.#reader.targets())
    return content ? decode(content, this.#atoms) : ''
  }

  async write(text: string): Promise<void> {
    await this.#owner.show(offerOf(text, this.#atoms))
  }

  /** Whether somebody put something on the clipboard within so many milliseconds of `act`. */
  async changes(act: () => Promise<void>, withinMs: number): Promise<boolean> {
    const changed = new AbortController()
    const stop = this.#owner.onChange(() => changed.abort())
    try {
      await act()
      await sleep(this.#clock, withinMs, changed.signal)
    } finally {
      stop()
    }
    return changed.signal.aborted
  }

  /**
   * Lends a text to who has the keyboard, until it was taken or the time is up, and answers which.
   * Everyone else, and everyone afterwards, finds what was there before.
   */
  async lend(text: string, act: () => Promise<void>): Promise<boolean> {
    const before = await this.#save()
    const client = await this.#display.focusedClient()
    // A browser remembers what it was given until the owner changes: also to the same one.
    await this.#owner.show(before ?? new Map())
    try {
      const loan = new Loan(client, offerOf(text, this.#atoms), this.#clock)
      this.#owner.lend(loan)
      await act()
      return await loan.taken()
    } finally {
      this.#owner.lend(undefined)
      // Who put something there meanwhile meant it to stay.
      if (this.#owner.shown) await this.#owner.show(before)
    }
  }

  /** Everything that can be carried of what another program has there. */
  async #save(): Promise<Offer | undefined> {
    if (!(await this.#isAnothers())) return this.#owner.shown
    try {
      return await this.#readAll()
    } catch (error) {
      if (error instanceof ServiceError && error.type === 'timeout') return undefined
      throw error
    }
  }

  async #readAll(): Promise<Offer> {
    const targets = await this.#reader.targets()
    const texts = textTargets(this.#atoms)
    const others = otherTargets(this.#atoms)
    const all = new Map<number, Content>()
    let roomBytes: number = limits.clipboardBytes
    const text = await this.#readText(targets).catch(unlessTooLarge)
    if (text) {
      roomBytes -= text.data.length
      for (const [target, content] of offerOf(decode(text, this.#atoms), this.#atoms)) {
        if (targets.includes(target)) all.set(target, content)
      }
    }
    for (const target of targets) {
      if (others.has(target) || texts.includes(target)) continue
      const content = await this.#reader.content(target, roomBytes).catch(unlessTooLarge)
      if (!content) continue
      roomBytes -= content.data.length
      all.set(target, content)
    }
    return all
  }

  async #readText(targets: readonly number[]): Promise<Content | undefined> {
    const target = textTargets(this.#atoms).find((one) => targets.includes(one))
    return target === undefined ? undefined : this.#reader.content(target, limits.clipboardBytes)
  }

  async #isAnothers(): Promise<boolean> {
    const owner = await this.#display.ask<number>((client, reply) => {
      client.GetSelectionOwner(this.#atoms.clipboard, reply)
    })
    return owner !== 0 && this.#owner.shown === undefined
  }
}

/** A form that is too long to be carried is left behind; the others are carried. */
function unlessTooLarge(error: unknown): undefined {
  if (error instanceof ServiceError && error.type === 'too_large') return undefined
  throw error
}
