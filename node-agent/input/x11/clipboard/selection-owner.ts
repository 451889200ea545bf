/**
 * Owns the clipboard until another program takes it, and answers requests for it (ICCCM §2.2). The
 * shown content is for all clients; a lent text is for one client, and the others do not see it.
 */
import type { Clock } from '../../../../runtime/lib/clock.ts'
import type { DisplayConnection } from '../display-connection.ts'
import type { TemporarySelection } from './temporary-selection.ts'
import { SelectionTransfer } from './selection-transfer.ts'
import {
  textTargets,
  type AtomTable,
  type SelectionContent,
  type SelectionOffer,
} from './selection.ts'
import type { XEvent, XSelectionRequest } from '../x-client.ts'
import { inputLimits } from '../../limits.ts'

const coreSelectionNotify = 31

export class SelectionOwner {
  readonly #display: DisplayConnection
  readonly #atoms: AtomTable
  readonly #clock: Clock
  readonly #window: number
  readonly #transfers = new Set<SelectionTransfer>()
  readonly #onChange = new Set<() => void>()
  #offer: SelectionOffer | undefined
  #owns = false
  #temporary: TemporarySelection | undefined
  #since = 0

  constructor(display: DisplayConnection, atoms: AtomTable, clock: Clock) {
    this.#display = display
    this.#atoms = atoms
    this.#clock = clock
    this.#window = display.openWindow()
    display.watchOwner(this.#window, atoms.clipboard)
    display.listen((event) => this.#take(event))
  }

  /** Our content on the clipboard; undefined if another program owns it, or none does. */
  get shown(): SelectionOffer | undefined {
    return this.#owns ? this.#offer : undefined
  }

  /** Without an offer, gives up the clipboard. */
  async show(offer: SelectionOffer | undefined): Promise<void> {
    this.#offer = offer
    const owner = offer ? this.#window : 0
    this.#display.tell((client) => client.SetSelectionOwner(owner, this.#atoms.clipboard, 0))
    // Waits until the notification that we are the owner has arrived.
    await this.#display.settle()
  }

  /** All clients except the borrower still get the shown content. */
  lend(temporary: TemporarySelection | undefined): void {
    this.#temporary = temporary
  }

  /** Called at each change of owner, also if the same owner takes it again. */
  onChange(listener: () => void): () => void {
    this.#onChange.add(listener)
    return () => this.#onChange.delete(listener)
  }

  #take(event: XEvent): void {
    for (const transfer of this.#transfers) transfer.take(event)
    if (event.name === 'SelectionRequest') return this.#answer(event)
    if (event.name !== 'SelectionNotify' || event.type === coreSelectionNotify) return
    if (event.selection !== this.#atoms.clipboard) return
    this.#owns = event.owner === this.#window
    if (this.#owns) this.#since = event.selectionTimestamp
    for (const listener of this.#onChange) listener()
  }

  #answer(request: XSelectionRequest): void {
    const { requestor, target } = request
    // Programs older than ICCCM name no property.
    const property = request.property || target
    const temporary =
      this.#display.clientOf(requestor) === this.#temporary?.client ? this.#temporary : undefined
    const content = this.#contentFor(target, temporary?.offer ?? this.#offer)
    const notify = (ok: boolean) => this.#tell(request, ok ? property : 0)
    temporary?.asked()
    const isText = textTargets(this.#atoms).includes(target)
    const refused = () => {
      notify(false)
      temporary?.answered(false)
    }
    if (!content || request.selection !== this.#atoms.clipboard) return refused()
    if (content.data.length <= inputLimits.clipboardPartBytes) {
      const { type, format, data } = content
      this.#display.tell((client) => {
        client.ChangeProperty(0, requestor, property, type, format, data)
      })
      notify(true)
      temporary?.answered(isText)
      return
    }
    if (this.#transfers.size >= inputLimits.clipboardTransfers) return refused()
    const transfer = new SelectionTransfer({
      display: this.#display,
      clock: this.#clock,
      incr: this.#atoms.incr,
      requestor,
      property,
      content,
      ended: (whole) => {
        this.#transfers.delete(transfer)
        const others = [...this.#transfers].some((other) => other.requestor === requestor)
        if (!others) this.#display.watchProperties(requestor, false)
        temporary?.answered(whole && isText)
      },
    })
    this.#transfers.add(transfer)
    notify(true)
  }

  #contentFor(target: number, offer: SelectionOffer | undefined): SelectionContent | undefined {
    const { targets, timestamp, atom, integer } = this.#atoms
    if (target === targets) {
      return words(atom, [targets, timestamp, ...(offer?.keys() ?? [])])
    }
    if (target === timestamp) return words(integer, [this.#since])
    return offer?.get(target)
  }

  #tell({ time, requestor, selection, target }: XSelectionRequest, property: number): void {
    const event = { name: 'SelectionNotify', time, requestor, selection, target, property }
    this.#display.tell((client) => client.SendEvent(requestor, 0, 0, event))
  }
}

function words(type: number, values: readonly number[]): SelectionContent {
  const data = Buffer.alloc(values.length * 4)
  values.forEach((value, i) => data.writeUInt32LE(value, i * 4))
  return { type, format: 32, data }
}
