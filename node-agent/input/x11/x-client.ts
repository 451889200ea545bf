/** Types for the part of the package `x11` that is used here; it has none of its own. */
import type { Socket } from 'node:net'

/** Returning true means that an error was handled; otherwise the package emits it again. */
export type XReplyCallback<T> = (error: Error | null | undefined, value: T) => true | void

export interface XProperty {
  readonly type: number
  readonly format: number
  readonly bytesAfter: number
  readonly data: Buffer
}

/** The events as the package emits them; those of XFixes have numbers assigned by the server. */
export type XEvent =
  | { readonly name: 'PropertyNotify'; readonly wid: number; readonly atom: number; state: 0 | 1 }
  | { readonly name: 'SelectionClear'; readonly owner: number; readonly selection: number }
  | XSelectionRequest
  | XSelectionNotify
  | { readonly name: 'other' }

export interface XSelectionRequest {
  readonly name: 'SelectionRequest'
  readonly time: number
  readonly requestor: number
  readonly selection: number
  readonly target: number
  readonly property: number
}

/**
 * Two different events have this name: the core's reports how a request ended, XFixes' that the
 * owner changed.
 */
export type XSelectionNotify = {
  readonly name: 'SelectionNotify'
  readonly type: number
  readonly selection: number
  readonly requestor: number
  readonly property: number
  readonly owner: number
  readonly selectionTimestamp: number
}

export interface XImage {
  readonly data: Uint8Array
}

export interface XClient {
  /**
   * The package shares one table among all displays of a process, but each display has its own
   * numbers.
   */
  atoms: Readonly<Record<string, number>>
  AllocID(): number
  ReleaseID(id: number): void
  InternAtom(onlyIfThere: boolean, name: string, reply: XReplyCallback<number>): void
  CreateWindow(
    id: number,
    parent: number,
    x: number,
    y: number,
    width: number,
    height: number,
    border: number,
    depth: number,
    kind: number,
    visual: number,
    values: { readonly eventMask: number },
  ): void
  ChangeWindowAttributes(id: number, values: { readonly eventMask: number }): void
  DestroyWindow(id: number): void
  ChangeProperty(
    mode: 0,
    window: number,
    property: number,
    type: number,
    format: 8 | 32,
    data: Buffer | readonly number[],
  ): void
  GetProperty(
    remove: 0 | 1,
    window: number,
    property: number,
    type: number,
    offsetWords: number,
    words: number,
    reply: XReplyCallback<XProperty>,
  ): void
  GetImage(
    format: number,
    drawable: number,
    ...rest: readonly [
      x: number,
      y: number,
      width: number,
      height: number,
      planes: number,
      reply: XReplyCallback<XImage>,
    ]
  ): void
  SetSelectionOwner(window: number, selection: number, time: number): void
  GetSelectionOwner(selection: number, reply: XReplyCallback<number>): void
  ConvertSelection(
    requestor: number,
    selection: number,
    target: number,
    property: number,
    time: number,
  ): void
  SendEvent(window: number, propagate: 0, eventMask: number, event: object): void
  GetKeyboardMapping(first: number, count: number, reply: XReplyCallback<number[][]>): void
  GetInputFocus(reply: XReplyCallback<{ readonly focus: number }>): void
  QueryKeymap(reply: XReplyCallback<Buffer>): void
  QueryPointer(window: number, reply: XReplyCallback<{ readonly keyMask: number }>): void
  require(name: 'xtest', reply: XReplyCallback<XTest>): void
  require(name: 'fixes', reply: XReplyCallback<XFixes>): void
  on(event: 'error', listener: (error: Error & { readonly error?: number }) => void): void
  on(event: 'event', listener: (event: XEvent) => void): void
  terminate(): void
}

export interface XTest {
  FakeInput(type: number, detail: number, time: number, root: number, x: number, y: number): void
}

export interface XFixes {
  SelectSelectionInput(window: number, selection: number, eventMask: number): void
}

/** The authentication data that a client sends; bytes as Latin-1. */
export interface XAuth {
  readonly name: string
  readonly data: string
}

export interface XDisplay {
  readonly client: XClient
  readonly screen: readonly [{ root: number; pixel_width: number; pixel_height: number }]
  readonly min_keycode: number
  readonly max_keycode: number
  /** The bits of a resource id that the client chooses; the other bits identify the client. */
  readonly resource_mask: number
}

export interface X11 {
  createClient(
    options: { stream: Socket; auth: XAuth; shm: false; bufferRequests: true },
    ready: XReplyCallback<XDisplay>,
  ): XClient
}
