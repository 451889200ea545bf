/** One tab as agents see it: snapshots, changes, and the elements of refs. */
import { ServiceError } from '../../../proto/errors.ts'
import type { Tab } from '../tabs/tab.ts'
import type { ExtractLimits } from '../../in-page/extract.ts'
import { snapshotFlags, type WalkedLine } from '../../in-page/snapshot/lines.ts'
import type { FrameWalk } from '../../in-page/snapshot/read.ts'
import { omittedLinesNote, fitLines } from './budget.ts'
import { PageFrames } from '../tabs/frames.ts'
import { cleanText, cleanLines, cleanName } from '../../../runtime/lib/text/clean.ts'
import { diffLines, fitChanges, pageStateOf } from './diff.ts'
import { findInLines } from './find.ts'
import { pollUntil } from '../../../runtime/lib/poll-until.ts'
import { SerialQueue } from '../../../runtime/lib/serial-queue.ts'
import { FrameTargets } from '../tabs/remote-frames.ts'
import {
  indentedText,
  lineOf,
  nameShown,
  lineElementsIn,
  type ReferredElement,
  placesIn,
  shiftedParts,
  type RefPlace,
  saidOfFrame,
} from './lines.ts'
import { isPdfViewer, pdfLines } from './pdf-text.ts'
import { FrameReader, type WalkRequest } from './reader.ts'
import { tokensAtMost } from '../../../runtime/lib/text/tokens.ts'
import {
  RefTable,
  staleRef,
  type NumberedElement,
  type RefCandidate,
  type ElementRef,
  type PageComparison,
  type PageChanges,
  type PageExcerpt,
  type ExtractOptions,
  type PageMark,
  type PageView,
  type SnapshotOptions,
  type StaleCause,
} from './refs.ts'
import { pageLimits } from '../limits.ts'
import { commandLimits } from '../../../proto/commands/limits.ts'

/** A page with all its frames. */
interface PageWalk {
  readonly lines: readonly WalkedLine[]
  /** The numbers of frames with nothing in them yet. */
  readonly emptyFrames: readonly number[]
  readonly skipped: number
  readonly drawn: number
  readonly late: boolean
  readonly documentId: string
  readonly url: string
  readonly title: string
  readonly loading: boolean
}

const plain = { urls: false, boxes: false }
const quick = { ...plain, readMs: pageLimits.snapshotWalkMs, linesMax: pageLimits.snapshotLines }
const whole = { ...plain, readMs: pageLimits.findWalkMs, linesMax: pageLimits.findLines }
/** Reserved for the final line. */
const endingTokens = 30
/** Up to this number, changes are listed individually even on a short page. */
const fewChanges = 20

export class TabView implements PageView {
  readonly #tab: Tab
  readonly #refs: RefTable
  readonly #readers = new Map<string, FrameReader>()
  /** One operation at a time, because numbers must be assigned in order. */
  readonly #operations = new SerialQueue()
  #seen: PageMark | undefined
  /** The frames of a document that were waited for: some never get a content. */
  #awaited = { documentId: '', frames: new Set<number>() }

  constructor(tab: Tab, refsBefore = 0) {
    this.#tab = tab
    this.#refs = new RefTable(refsBefore)
  }

  snapshot({ within, urls, boxes = false, maxTokens }: SnapshotOptions): Promise<PageExcerpt> {
    return this.#operations.run(async () => {
      const page = await this.#walkOnceThere({ ...quick, urls, boxes }, within)
      if (!within && !urls && !boxes) this.#seen = markOf(page)
      const { drawn, url, title } = page
      const excerpt = { ...toExcerpt(page, maxTokens), ...(drawn > 0 && { drawn }) }
      // A part may be in a frame, which has an address of its own.
      return within ? excerpt : { ...excerpt, where: { url, title } }
    })
  }

  find(text: string, maxTokens: number): Promise<PageExcerpt> {
    return this.#operations.run(async () => {
      const { lines } = await this.#walk({ ...whole, needle: cleanText(text) })
      const found = findInLines(lines.map(lineOf), text, maxTokens - endingTokens)
      const said = found.more > 0 ? [`… ${found.more} more; look for something longer`] : []
      return { text: [found.text, ...said].filter(Boolean).join('\n'), more: found.more }
    })
  }

  extract({ within, format, maxChars }: ExtractOptions): Promise<PageExcerpt> {
    return this.#operations.run(async () => {
      const reader = await this.#readerAt(within)
      const options = {
        format,
        readMs: pageLimits.findWalkMs,
        charsMax: commandLimits.extractChars,
      }
      const { text, rest } = await this.#extractFrom(reader, options, pageLimits.framesRead, within)
      const whole = cleanLines(text)
      const head = whole.slice(0, maxChars)
      return { text: cleanLines(head), more: whole.length - head.length + rest }
    })
  }

  places(inViewOnly: boolean): Promise<readonly RefPlace[]> {
    return this.#operations.run(async () => {
      const { lines } = await this.#walk({ ...quick, boxes: true })
      return placesIn(inViewOnly ? lines.filter(isInView) : lines)
    })
  }

  get seen(): PageMark | undefined {
    return this.#seen
  }

  mark(): Promise<PageMark> {
    return this.#operations.run(async () => (this.#seen = markOf(await this.#walk(quick))))
  }

  changesSince(mark: PageMark, maxTokens: number): Promise<PageChanges> {
    return this.#operations.run(async () => {
      const page = await this.#walk(quick)
      this.#seen = markOf(page)
      const { url, title } = page
      return { text: changesOf(page, mark, maxTokens), where: { url, title } }
    })
  }

  compareWith(mark: PageMark | undefined, maxTokens: number): Promise<PageComparison> {
    return this.#operations.run(async () => {
      const page = await this.#walk(quick)
      return { changes: mark ? changesOf(page, mark, maxTokens) : '', mark: markOf(page) }
    })
  }

  inMainFrame(ref: string): NumberedElement | undefined {
    const number = numberIn(ref)
    const given = this.#refs.get(number)
    if (given?.frameId !== this.#tab.id) return undefined
    const world = this.#readers.get(given.frameId)?.knownContext
    return world === undefined ? undefined : { world, number, documentId: given.documentId }
  }

  resolve(ref: string): Promise<ElementRef> {
    return this.#operations.run(async () => {
      const number = numberIn(ref)
      const given = this.#refs.get(number)
      if (!given) throw staleRef(ref, 'never_given', undefined, [])
      const cause = await this.#fateOf(number, given)
      const reader = this.#readers.get(given.frameId)
      const backendNodeId = cause === undefined ? await reader?.nodeOf(number) : undefined
      if (reader && backendNodeId !== undefined) {
        return { tab: this.#tab, sessionId: reader.sessionId, backendNodeId }
      }
      const now = lineElementsIn((await this.#walk(quick)).lines)
      throw staleRef(ref, cause ?? 'removed', given, now.map(candidateOf))
    })
  }

  byRole(role: string, name: string): Promise<readonly string[]> {
    return this.#operations.run(async () => {
      const wanted = nameShown(name)
      const { lines } = await this.#walk({ ...whole, needle: wanted })
      const found = lineElementsIn(lines).filter(
        (one) => one.role === role && cleanName(one.name ?? '') === wanted,
      )
      return found.map(({ number }) => `e${number}`)
    })
  }

  /** Undefined if the element exists. */
  async #fateOf(
    number: number,
    { frameId, documentId }: { readonly frameId: string; readonly documentId: string },
  ): Promise<StaleCause | undefined> {
    const reader = await this.#readerOf(frameId)
    if (!reader) return 'frame_gone'
    const fate = await reader.fateOf(number, documentId)
    if (fate === 'here') return undefined
    return fate === 'unknown' ? 'removed' : (fate as StaleCause)
  }

  async #walk(options: WalkRequest, within?: ElementRef): Promise<PageWalk> {
    const reader = await this.#readerAt(within)
    const walked = await this.#walkFrame(reader, options, within?.backendNodeId)
    const inside = await this.#withFrames(reader, walked, options, pageLimits.framesRead)
    return { ...walked, ...inside }
  }

  /**
   * Waits a moment if a loading page or a frame is still empty, since the caller would only ask
   * again.
   */
  async #walkOnceThere(options: WalkRequest, within?: ElementRef): Promise<PageWalk> {
    const { clock } = this.#tab
    const times = { everyMs: pageLimits.emptyPageLookMs, withinMs: pageLimits.emptyPageMs }
    const framesUntilMs = clock.monotonic() + pageLimits.emptyFrameMs
    const walk = () => this.#walk(options, within)
    const page = await pollUntil(clock, times, walk, ({ lines, loading, ...rest }) => {
      const areFramesThere = this.#newlyEmpty(rest).length === 0
      if (!areFramesThere && clock.monotonic() < framesUntilMs) return false
      return lines.length > 0 || !loading
    })
    for (const number of this.#newlyEmpty(page)) this.#awaited.frames.add(number)
    return page
  }

  /** The empty frames that have not been waited for. */
  #newlyEmpty({ documentId, emptyFrames }: Pick<PageWalk, 'documentId' | 'emptyFrames'>) {
    if (this.#awaited.documentId !== documentId) this.#awaited = { documentId, frames: new Set() }
    return emptyFrames.filter((number) => !this.#awaited.frames.has(number))
  }

  /** Inserts the lines of frames of other origins below the frames' lines. */
  async #withFrames(
    reader: FrameReader,
    { lines, frames, emptyFrames }: FrameWalk,
    options: WalkRequest,
    framesMax: number,
  ): Promise<Pick<PageWalk, 'lines' | 'emptyFrames'>> {
    const all = [...lines]
    const empty = [...emptyFrames]
    for (const { line } of frames.slice(framesMax)) {
      const [depth, flags, parts] = all[line]!
      all[line] = [
        depth,
        flags,
        saidOfFrame(parts, { states: '(not read: one frame of too many)' }),
      ]
    }
    // Backwards, so that the indexes of the remaining lines stay valid.
    for (const { line, number, origin } of frames.slice(0, framesMax).reverse()) {
      const frameId = await reader.frameIn(number)
      const inner = frameId === undefined ? undefined : await this.#readerOf(frameId)
      const walked = inner && (await this.#walkFrame(inner, options))
      const [depth, flags, parts] = all[line]!
      if (!walked || walked.loading) {
        all[line] = [depth, flags, saidOfFrame(parts, { states: '(loading)' })]
        if (!walked || walked.lines.length === 0) empty.push(number)
      }
      if (!walked) continue
      const isPdf = isPdfViewer(walked.url)
      // Chromium gives the frame of its viewer a random name.
      if (isPdf) all[line] = [depth, flags, saidOfFrame(parts, { name: '' })]
      const below = isPdf
        ? await this.#withPdf(inner, walked, options, number)
        : await this.#withFrames(inner, walked, options, framesMax - 1)
      empty.push(...below.emptyFrames)
      const moved = below.lines.map(([d, f, parts]): WalkedLine => [
        d + depth + 1,
        flags & 1 ? f : f & ~1,
        shiftedParts(parts, origin),
      ])
      all.splice(line + 1, 0, ...moved)
    }
    return { lines: all, emptyFrames: empty }
  }

  /** The text of the PDF first, then the buttons of its viewer. */
  async #withPdf(
    viewer: FrameReader,
    { lines }: FrameWalk,
    { linesMax }: WalkRequest,
    number: number,
  ): Promise<Pick<PageWalk, 'lines' | 'emptyFrames'>> {
    const pdf = await viewer.pdf()
    if (!pdf) return { lines, emptyFrames: [] }
    const limits = { linesMax, charsMax: pageLimits.walkedChars }
    const emptyFrames = pdf.state === 'loading' ? [number] : []
    return { lines: [...pdfLines(pdf, limits), ...lines], emptyFrames }
  }

  async #extractFrom(
    reader: FrameReader,
    options: ExtractLimits,
    framesMax: number,
    within?: ElementRef,
  ): Promise<{ readonly text: string; readonly rest: number }> {
    const given = { ...options, firstNumber: this.#refs.last }
    const { chunks, rest, lastNumber } = await reader.extract(given, within?.backendNodeId)
    this.#refs.used(lastNumber)
    let text = ''
    for (const chunk of chunks) {
      if (typeof chunk === 'string') text += chunk
      else if (framesMax > 0) {
        const frameId = await reader.frameIn(chunk)
        const inner = frameId === undefined ? undefined : await this.#readerOf(frameId)
        if (!inner) continue
        const pdf = await inner.pdf()
        text += pdf?.text ?? (await this.#extractFrom(inner, options, framesMax - 1)).text
      }
    }
    return { text, rest }
  }

  async #walkFrame(reader: FrameReader, options: WalkRequest, withinId?: number) {
    const walked = await reader.walk({ ...options, firstNumber: this.#refs.last }, withinId)
    this.#refs.used(walked.lastNumber)
    const { documentId } = walked
    for (const { number, role, name = '' } of lineElementsIn(walked.lines)) {
      const known = { role, name: cleanName(name), frameId: reader.frameId, documentId }
      this.#refs.give(number, known)
    }
    return walked
  }

  /** The reader of the first frame in the element's process that has access to the element. */
  async #readerAt(within: ElementRef | undefined): Promise<FrameReader> {
    const frames = within ? await new PageFrames(this.#tab).all() : []
    const own = frames.filter(({ session }) => session === within?.sessionId)
    for (const { id } of within ? own : [{ id: this.#tab.id }]) {
      const reader = await this.#readerOf(id)
      if (reader && (!within || (await reader.reaches(within.backendNodeId)))) return reader
    }
    throw new ServiceError(
      'conflict',
      'The frame of this element no longer exists; take a new snapshot.',
    )
  }

  async #readerOf(frameId: string): Promise<FrameReader | undefined> {
    const session = await this.#sessionOf(frameId)
    if (session === undefined) {
      this.#readers.delete(frameId)
      return undefined
    }
    const known = this.#readers.get(frameId)
    if (known?.sessionId === session) return known
    const reader = new FrameReader(this.#tab, session, frameId)
    this.#readers.set(frameId, reader)
    return reader
  }

  /** The frame's own session, or that of its process if it shares one. */
  async #sessionOf(frameId: string): Promise<string | undefined> {
    if (frameId === this.#tab.id) return this.#tab.session
    const own = await (await FrameTargets.of(this.#tab)).sessionOf(frameId)
    if (own !== undefined) return own
    const all = await new PageFrames(this.#tab).all()
    return all.find(({ id }) => id === frameId)?.session
  }
}

const numberIn = (ref: string) => Number(/^e(\d+)$/.exec(ref)?.[1])

const isInView = ([, flags]: WalkedLine) => (flags & snapshotFlags.inView) !== 0

const markOf = ({ documentId, lines, late, skipped }: PageWalk): PageMark => ({
  documentId,
  seen: pageStateOf(lines.map(lineOf)),
  partial: late || skipped > 0,
})

function changesOf(page: PageWalk, mark: PageMark, maxTokens: number): string {
  if (page.documentId !== mark.documentId) {
    const head = `The page is another now, ${cleanText(page.url)}:`
    return [head, toExcerpt(page, maxTokens - tokensAtMost(head)).text].join('\n')
  }
  const all = diffLines(mark.seen, page.lines.map(lineOf))
  // Lines that were not read may still exist, so removals are not reported.
  const partial = mark.partial || page.late || page.skipped > 0
  const changes = partial ? all.filter((change) => !change.startsWith('- ')) : all
  const asLong = changes.length > page.lines.length && changes.length > fewChanges
  if (!asLong) return fitChanges(changes, maxTokens)
  const head = 'Most of the page has changed. It is now:'
  return [head, toExcerpt(page, maxTokens - tokensAtMost(head)).text].join('\n')
}

const candidateOf = ({ number, role, name = '' }: ReferredElement): RefCandidate => ({
  number,
  role,
  name: cleanName(name),
})

/** The page within a token budget, with a line that says what was left out. */
function toExcerpt({ lines, skipped, late, loading }: PageWalk, maxTokens: number): PageExcerpt {
  if (lines.length === 0) {
    const text = loading ? 'The page is still loading; take another snapshot.' : 'Nothing is there.'
    return { text, more: 0 }
  }
  const fitted = fitLines(lines.map(lineOf), maxTokens - endingTokens)
  const below = fitted.below + skipped
  const said = omittedLinesNote(fitted.above, below, skipped > 0 || late)
  const texts = [...fitted.lines.map(indentedText), ...(said ? [said] : [])]
  return { text: texts.join('\n'), more: fitted.above + below }
}
