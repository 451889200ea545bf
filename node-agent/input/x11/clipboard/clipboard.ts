/** The clipboard of one display: reading, writing, and lending a text temporarily. */
import { ServiceError } from '../../../../proto/errors.ts'
import { sleep, type Clock } from '../../../../runtime/lib/clock.ts'
import type { DisplayConnection } from '../display-connection.ts'
import { TemporarySelection } from './temporary-selection.ts'
import { SelectionOwner } from './selection-owner.ts'
import { SelectionReader } from './selection-reader.ts'
import {
  decodeContent,
  offerOf,
  otherTargets,
  selectionAtoms,
  offerText,
  textTargets,
} from './selection.ts'
import type { AtomTable, SelectionContent, SelectionOffer } from './selection.ts'
import { commandLimits } from '../../../../proto/commands/limits.ts'

export class Clipboard {
  readonly #display: DisplayConnection
  readonly #clock: Clock
  readonly #atoms: AtomTable
  readonly #owner: SelectionOwner
  readonly #reader: SelectionReader

  private constructor(display: DisplayConnection, clock: Clock, atoms: AtomTable) {
    this.#display = display
    this.#clock = clock
    this.#atoms = atoms
    this.#owner = new SelectionOwner(display, atoms, clock)
    this.#reader = new SelectionReader(display, atoms, clock)
  }

  static async open(display: DisplayConnection, clock: Clock): Promise<Clipboard> {
    return new Clipboard(display, clock, await selectionAtoms(display))
  }

  /** The text on the clipboard; empty if there is none. */
  async read(): Promise<string> {
    if (!(await this.#isAnothers())) return offerText(this.#owner.shown ?? new Map(), this.#atoms)
    const content = await this.#readText(await this.#reader.targets())
    return content ? decodeContent(content, this.#atoms) : ''
  }

  async write(text: string): Promise<void> {
    await this.#owner.show(offerOf(text, this.#atoms))
  }

  /** Whether the clipboard's owner changes within `withinMs` after `act`. */
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
   * Offers a text to the client with the keyboard focus until the client has taken it or a time
   * limit passes; returns whether it was taken. All other clients, and everyone afterwards, see the
   * previous content.
   */
  async lend(text: string, act: () => Promise<void>): Promise<boolean> {
    const before = await this.#save()
    const client = await this.#display.focusedClient()
    // Browsers cache the clipboard until its owner changes; taking ownership again counts as a
    // change.
    await this.#owner.show(before ?? new Map())
    try {
      const temporary = new TemporarySelection(client, offerOf(text, this.#atoms), this.#clock)
      this.#owner.lend(temporary)
      await act()
      return await temporary.taken()
    } finally {
      this.#owner.lend(undefined)
      // If another program has taken the clipboard meanwhile, its content must stay.
      if (this.#owner.shown) await this.#owner.show(before)
    }
  }

  /** The content that another program has on the clipboard, as far as it can be copied. */
  async #save(): Promise<SelectionOffer | undefined> {
    if (!(await this.#isAnothers())) return this.#owner.shown
    try {
      return await this.#readAll()
    } catch (error) {
      if (error instanceof ServiceError && error.type === 'timeout') return undefined
      throw error
    }
  }

  async #readAll(): Promise<SelectionOffer> {
    const targets = await this.#reader.targets()
    const texts = textTargets(this.#atoms)
    const others = otherTargets(this.#atoms)
    const all = new Map<number, SelectionContent>()
    let roomBytes: number = commandLimits.clipboardBytes
    const text = await this.#readText(targets).catch(unlessTooLarge)
    if (text) {
      roomBytes -= text.data.length
      for (const [target, content] of offerOf(decodeContent(text, this.#atoms), this.#atoms)) {
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

  async #readText(targets: readonly number[]): Promise<SelectionContent | undefined> {
    const target = textTargets(this.#atoms).find((one) => targets.includes(one))
    return target === undefined
      ? undefined
      : this.#reader.content(target, commandLimits.clipboardBytes)
  }

  async #isAnothers(): Promise<boolean> {
    const owner = await this.#display.ask<number>((client, reply) => {
      client.GetSelectionOwner(this.#atoms.clipboard, reply)
    })
    return owner !== 0 && this.#owner.shown === undefined
  }
}

/** A format that is too large is left out; the others are copied. */
function unlessTooLarge(error: unknown): undefined {
  if (error instanceof ServiceError && error.type === 'too_large') return undefined
  throw error
}
