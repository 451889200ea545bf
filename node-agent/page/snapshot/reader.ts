/**
 * Reads the documents of one process of a tab: with functions in an isolated world there, and with
 * the debugger for what a page hides from those, such as listeners and closed roots.
 */
import { randomUUID } from 'node:crypto'
import { type PageFunction, sentFunctions } from '../../../runtime/browser-host/page-functions.ts'
import { inPage } from '../tabs/in-page.ts'
import type { ExtractedText, ExtractLimits } from '../../in-page/extract.ts'
import type { LineLimits } from '../../in-page/snapshot/lines.ts'
import type { FrameWalk } from '../../in-page/snapshot/read.ts'
import type * as frameworksCode from '../../in-page/snapshot/listeners/frameworks.ts'
import {
  callFunction,
  installBundle,
  isChromiumError,
  valuesOf,
  worldIn,
  type SendCall,
} from '../tabs/calls.ts'
import type { Tab } from '../tabs/tab.ts'
import { nodeDescriptionsOf, type DescribedNode } from './accessibility-tree.ts'
import { isExpected, listenerKindsIn } from './event-listeners.ts'
import { callSenderTo } from '../tabs/frames.ts'
import { pageLimits } from '../limits.ts'
import { isPdfViewer, readPdfExpression, type PdfDocument } from './pdf-text.ts'

const { tellHandlers } = sentFunctions<typeof frameworksCode>('frameworks')
const {
  documentSize,
  elementOf,
  extractText,
  fateIn,
  hostsToAsk,
  openReader,
  openRoots,
  readLines,
  recordListeners,
} = inPage

interface FirstNumber {
  readonly firstNumber: number
}

export type WalkRequest = Omit<LineLimits, 'charsMax' | 'coversMs'>

interface World {
  readonly context: number
  readonly documentId: Promise<string>
  /** The document object for the debugger. */
  readonly root: string
  /** The document in the page's own world. */
  readonly own: string
  /** The name of the event by which that world tells of elements with handlers. */
  readonly eventName: string
  /** What the elements listen for whose listeners have been recorded. */
  readonly listeners: Map<number, number>
  /** What the viewer of a PDF shows, once it has loaded; null on another page. */
  pdf?: PdfDocument | null
  /** Whether the latest look at the listeners has found others than the one before it. */
  listening: 'unknown' | 'steady' | 'changing'
}

interface Learned {
  /** There are others than the last time. */
  readonly areNew: boolean
  readonly recorded?: Promise<unknown>
}

/** A node of the debugger's, and its object in a world. */
interface ResolvedNode {
  readonly id: number
  readonly objectId: string
}

const objectOf = ({ objectId }: ResolvedNode) => ({ objectId })

const group = 'troupe'
const worldTries = 3
/** Chromium's messages for a document that disappeared while it was read. */
const gone = /context|object with given id|node with given id|frame|navigated|detached/i
const hasGone = (error: unknown) => isChromiumError(error, gone)

export class FrameReader {
  readonly sessionId: string
  readonly frameId: string
  readonly #send: SendCall
  /** False for a frame that shares its process with the one around it. */
  readonly #isTop: boolean
  #world: World | undefined

  constructor(tab: Tab, sessionId: string, frameId: string) {
    this.#isTop = frameId === tab.id
    this.#send = callSenderTo(tab, sessionId)
    this.sessionId = sessionId
    this.frameId = frameId
    // Otherwise the first call would fail in the world of the previous document.
    if (this.#isTop) tab.on('Page.frameNavigated', ({ frame }) => this.#navigated(frame))
  }

  /** Walks over the content of an element, or the whole page. */
  walk(
    options: WalkRequest & FirstNumber,
    withinId?: number,
  ): Promise<FrameWalk & { readonly documentId: string }> {
    return this.#inWorld(async (world) => {
      let walked = await this.#walkListening(world, options, withinId)
      // Closed roots may be nested.
      for (let deep = 0; deep < 4 && walked.hosts > 0; deep++) {
        if (!(await this.#openRoots(world))) break
        walked = await this.#walkListening(world, options, withinId)
      }
      return { ...walked, documentId: await world.documentId }
    })
  }

  /** The state of an element's number in the document it was given for. */
  fateOf(number: number, documentId: string): Promise<string> {
    return this.#inWorld((world) => this.#call(world, fateIn, number, documentId))
  }

  /** The execution context of the isolated world, if the frame has not navigated since it was read. */
  get knownContext(): number | undefined {
    return this.#world?.context
  }

  /** The debugger's id of the element with a number. */
  nodeOf(number: number): Promise<number | undefined> {
    return this.#inWorld(async (world) => {
      const objectId = await this.#handle(world, elementOf, number)
      if (objectId === undefined) return undefined
      const { backendNodeId } = await this.#describe(objectId)
      return backendNodeId
    })
  }

  /** The document in Chromium's viewer of PDFs; null if this frame is another page. */
  pdf(): Promise<PdfDocument | null> {
    return this.#inWorld(async (world) => {
      if (world.pdf !== undefined) return world.pdf
      const where = { expression: 'location.href', contextId: world.context }
      const { result: address } = await this.#send('Runtime.evaluate', where)
      if (!isPdfViewer(String(address.value))) return (world.pdf = null)
      const reading = { expression: readPdfExpression, awaitPromise: true, returnByValue: true }
      const { result } = await this.#send('Runtime.evaluate', reading)
      const read = result.value as PdfDocument | null
      if (read?.state === 'loaded') world.pdf = read
      return read
    })
  }

  /** Whether a node belongs to one of this reader's documents. */
  reaches(backendNodeId: number): Promise<boolean> {
    return this.#inWorld(async ({ context }) => {
      return (await this.#resolve(context, backendNodeId)) !== undefined
    })
  }

  /** The id of the frame in the element with a number. */
  frameIn(number: number): Promise<string | undefined> {
    return this.#inWorld(async (world) => {
      const objectId = await this.#handle(world, elementOf, number)
      return objectId === undefined ? undefined : (await this.#describe(objectId)).frameId
    })
  }

  /** Extracts the content of the document, or of the node with an id. */
  extract(options: ExtractLimits & FirstNumber, withinId?: number): Promise<ExtractedText> {
    return this.#inWorld(async (world) => {
      const value = { ...options, rememberedMax: pageLimits.refsRemembered }
      return this.#callWith(world, extractText, [{ value }, await this.#within(world, withinId)])
    })
  }

  /**
   * Walks with the current listeners. If they had not changed last time, the walk is sent along with
   * the request for them, which saves a round trip, and is repeated if they have changed.
   */
  async #walkListening(
    world: World,
    options: WalkRequest & FirstNumber,
    withinId?: number,
  ): Promise<FrameWalk> {
    const walk = () => this.#walkOnce(world, options, withinId)
    const learning = this.#learnListeners(world)
    const early = world.listening === 'steady' ? walk() : undefined
    // If asking for the listeners fails, that is the failure that is thrown.
    early?.catch(() => undefined)
    const { areNew, recorded } = await learning
    world.listening = areNew && world.listening !== 'unknown' ? 'changing' : 'steady'
    const [walked] = await Promise.all([early && !areNew ? early : walk(), recorded])
    return walked
  }

  async #walkOnce(
    world: World,
    options: WalkRequest & FirstNumber,
    withinId?: number,
  ): Promise<FrameWalk> {
    const { walkedChars: charsMax, refsRemembered: rememberedMax, coversMs } = pageLimits
    const value = { ...options, charsMax, rememberedMax, coversMs }
    return this.#callWith(world, readLines, [{ value }, await this.#within(world, withinId)])
  }

  async #within({ context }: World, backendNodeId: number | undefined) {
    if (backendNodeId === undefined) return { value: undefined }
    return { objectId: await this.#resolve(context, backendNodeId) }
  }

  /**
   * One debugger call returns all listeners with their elements; frameworks know of others. Their
   * recording is sent but not awaited, because the page handles calls in order.
   */
  async #learnListeners(world: World): Promise<Learned> {
    const whole = { objectId: world.root, depth: -1, pierce: true }
    const [{ listeners }] = await Promise.all([
      this.#send('DOMDebugger.getEventListeners', whole),
      this.#tellHandlers(world),
    ])
    const found = listenerKindsIn(listeners)
    for (const [id, kinds] of found) if (world.listeners.get(id) === kinds) found.delete(id)
    if (found.size === 0) return { areNew: false }
    const unclear = (await this.#withoutNative(world, found)).slice(0, pageLimits.listenersResolved)
    const objects = await this.#resolveAll(world, unclear)
    for (const [id, kinds] of found) world.listeners.set(id, kinds)
    const value = objects.map(({ id }) => found.get(id) ?? 0)
    const recorded = this.#callWith(world, recordListeners, [{ value }, ...objects.map(objectOf)])
    this.#release()
    return { areNew: true, recorded }
  }

  /** What fails there is the page's doing: then only the debugger's listeners are known. */
  #tellHandlers({ own, eventName }: World): Promise<unknown> {
    const args = valuesOf([eventName, pageLimits.handlersLookedAt])
    return callFunction(this.#send, { objectId: own }, tellHandlers, args, true)
  }

  /**
   * If there are many listeners, most belong to buttons and links. One description of the document
   * excludes those faster than a call for each.
   */
  async #withoutNative(
    world: World,
    found: ReadonlyMap<number, number>,
  ): Promise<readonly number[]> {
    const ids = [...found.keys()]
    if (ids.length <= pageLimits.listenersAsked) return ids
    const { elements, chars } = await this.#call(world, documentSize)
    if (elements > pageLimits.describedElements || chars > pageLimits.describedChars) return ids
    const whole = { objectId: world.root, depth: -1, pierce: true }
    const { node } = await this.#send('DOM.describeNode', whole)
    const { native, closedRoots } = nodeDescriptionsOf(node)
    const roots = await this.#resolveAll(world, closedRoots)
    if (roots.length > 0) await this.#take(world, roots.map(objectOf))
    return ids.filter((id) => !(native.has(id) && isExpected(found.get(id)!)))
  }

  /** Asks the debugger for the closed roots of possible hosts. Returns false if there are none. */
  async #openRoots(world: World): Promise<boolean> {
    const list = await this.#handle(world, hostsToAsk)
    if (list === undefined) return false
    const { result } = await this.#send('Runtime.getProperties', {
      objectId: list,
      ownProperties: true,
    })
    const hosts = result.flatMap(({ value }) =>
      value?.subtype === 'node' && value.objectId !== undefined ? [value.objectId] : [],
    )
    const asked = hosts.slice(0, pageLimits.closedRootsAsked).map((id) => this.#describe(id))
    const nodes = await Promise.allSettled(asked)
    const roots = nodes.flatMap((node) =>
      node.status === 'fulfilled' ? (node.value.shadowRoots ?? []) : [],
    )
    const closed = roots.filter(({ shadowRootType }) => shadowRootType === 'closed')
    const ids = closed.map(({ backendNodeId }) => backendNodeId)
    const objects = await this.#resolveAll(world, ids)
    if (objects.length > 0) await this.#take(world, objects.map(objectOf))
    this.#release()
    return objects.length > 0
  }

  #take(world: World, roots: readonly object[]): Promise<unknown> {
    return this.#callWith(world, openRoots, roots)
  }

  async #describe(objectId: string): Promise<DescribedNode> {
    return (await this.#send('DOM.describeNode', { objectId })).node
  }

  /** Undefined for a node of another origin, which has another world and reader. */
  async #resolve(context: number, backendNodeId: number): Promise<string | undefined> {
    const { object } = await this.#send('DOM.resolveNode', {
      backendNodeId,
      executionContextId: context,
      objectGroup: group,
    })
    return object.objectId
  }

  /** Skips nodes that no longer exist. */
  async #resolveAll({ context }: World, ids: readonly number[]): Promise<ResolvedNode[]> {
    const all = await Promise.allSettled(ids.map((id) => this.#resolve(context, id)))
    return all.flatMap((one, at) => {
      const objectId = one.status === 'fulfilled' ? one.value : undefined
      return objectId === undefined ? [] : [{ id: ids[at]!, objectId }]
    })
  }

  /** Not awaited: the page handles calls in order, and a document that is gone has freed them. */
  #release(): void {
    void this.#send('Runtime.releaseObjectGroup', { objectGroup: group }).catch(() => undefined)
  }

  #navigated({ id }: { readonly id: string }): void {
    if (id === this.frameId) this.#world = undefined
  }

  /** Creates the world again if the frame has navigated before or during the call. */
  async #inWorld<R>(use: (world: World) => Promise<R>): Promise<R> {
    for (let triesLeft = worldTries; ; triesLeft--) {
      try {
        return await use(this.#world ?? (await this.#open()))
      } catch (error) {
        if (triesLeft === 1 || !hasGone(error)) throw error
        this.#world = undefined
      }
    }
  }

  async #open(): Promise<World> {
    const [context, root] = await Promise.all([
      worldIn(this.#send, this.frameId),
      // Evaluated in the page's own world: asked for listeners from another world, Chromium crashes
      // on attributes such as onclick. In no object group, since the functions of all listeners
      // would be kept in it.
      this.#send('Runtime.evaluate', { expression: 'document' }),
    ])
    const eventName = `troupe-${randomUUID()}`
    const documentId = this.#install(context, eventName)
    const rootId = root.result.objectId!
    const own = this.#isTop ? rootId : await this.#ownDocument(context)
    const listeners = new Map<number, number>()
    const told = { documentId, root: rootId, own, eventName, listeners }
    this.#world = { context, ...told, listening: 'unknown' }
    return this.#world
  }

  /** Returns the document's id. Not awaited before it is needed, as calls are handled in order. */
  #install(executionContextId: number, eventName: string): Promise<string> {
    const args = valuesOf([randomUUID(), eventName])
    installBundle(this.#send, { executionContextId }, openReader.installed!).catch(() => undefined)
    const installing = callFunction(this.#send, { executionContextId }, openReader, args, true)
    const documentId = installing.then(({ value }) => value as string)
    // Then the next call fails as well.
    documentId.catch(() => undefined)
    return documentId
  }

  /** The document of a frame that shares its process with another, in the page's own world. */
  async #ownDocument(executionContextId: number): Promise<string> {
    const document = { expression: 'document', contextId: executionContextId, objectGroup: group }
    const { result } = await this.#send('Runtime.evaluate', document)
    const { backendNodeId } = await this.#describe(result.objectId!)
    return (await this.#send('DOM.resolveNode', { backendNodeId })).object.objectId!
  }

  #call<A extends readonly unknown[], R>(
    world: World,
    called: PageFunction<A, R>,
    ...args: A
  ): Promise<R> {
    return this.#callWith(world, called, valuesOf(args))
  }

  /** For arguments that are objects of the page. */
  async #callWith<R>(
    world: World,
    called: PageFunction<never, R>,
    args: readonly object[],
  ): Promise<R> {
    return (await this.#run(world, called, args, true)).value as R
  }

  async #handle<A extends readonly unknown[]>(
    world: World,
    called: PageFunction<A, unknown>,
    ...args: A
  ): Promise<string | undefined> {
    return (await this.#run(world, called, valuesOf(args), false)).objectId
  }

  #run(
    { context }: World,
    called: PageFunction<never, unknown>,
    args: readonly object[],
    byValue: boolean,
  ) {
    const where = { executionContextId: context, objectGroup: group }
    return callFunction(this.#send, where, called, args, byValue)
  }
}
