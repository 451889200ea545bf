/** One walk over the page, which decides for each element how it is written. */
import type { AnyElement } from '../any-element.ts'
import { attributeOf, documentOf, firstIn, rectOf, rootOf, shadowRootOf, styleOf } from '../dom.ts'
import { contentOf, hintOf, labelTargets, nameOf } from './accessible-name.ts'
import {
  documentIn,
  frameElements,
  isFrameLoading,
  isWaitedFor,
  originIn,
  type RemoteFrame,
} from './frames.ts'
import { isSameTarget, sharedArea } from './hit-target.ts'
import {
  flagsOf,
  LineCollector,
  type LineElement,
  setPlace,
  snapshotFlags,
  type WalkContext,
} from './lines.ts'
import { clickableBy, isOverlay, kindsAt, writeClickable } from './listeners/clickable.ts'
import { findHoverMenus } from './listeners/hover-rules.ts'
import { actRoles, dressOf, fieldRoles, groupRoles, namedByContent, roleOf } from './roles.ts'
import { isSelectBox, statesOf, valueOf } from './states.ts'
import { isDataTable, isSetApart, learnGenerated } from './text.ts'
import {
  childrenOf,
  isElement,
  isText,
  isToBeAsked,
  mayHideRoot,
  numberOf,
  shadowIn,
  unread,
} from './tree.ts'
import { mayHave } from '../targeting/unsaid.ts'
import { isScrollable, meets, replaced, type View, viewIn } from './visible.ts'

export class LineWalk extends LineCollector {
  /** Elements that may have a closed root. */
  readonly hosts: Element[] = []
  readonly frames: RemoteFrame[] = []
  /** The numbers of frames with nothing in them yet. */
  readonly emptyFrames: number[] = []
  /** The area of canvases in view, in pixels. */
  drawn = 0
  #visited = 0
  #hurries = false
  #labels: ReadonlySet<Element> = new Set()

  start(element: Element, view: View): void {
    this.#labels = labelTargets(rootOf(element))
    findHoverMenus(documentOf(element))
    learnGenerated(rootOf(element))
    this.#visit(element, {
      view,
      mute: false,
      hidden: false,
      pointer: false,
      row: false,
      inside: false,
      dialog: 0,
      at: 0,
    })
    this.flush()
  }

  #visit(node: Node, context: WalkContext): void {
    if (isText(node)) return this.text(node, context)
    if (!isElement(node) || unread.has(node.localName)) return
    if ((++this.#visited & 255) === 0) {
      this.late ||= performance.now() > this.untilMs
      this.#hurries = performance.now() > this.hurryMs
    }
    if (this.late) return void this.skipped++
    if (this.#hurries && !mayHave(node, this.word)) return
    const style = styleOf(node)
    const { display } = style
    if (display === '') return void this.#notDrawn(node.parentElement)
    if (display === 'none') {
      const isFile = node.localName === 'input' && node.type === 'file'
      if (isFile || (isSelectBox(node) && dressOf(node))) this.#behind(node, context)
      return
    }
    if (display === 'contents') return this.children(node, context)
    if (node.localName === 'br') this.spaced = true
    this.#element(node, style, display, context)
  }

  /**
   * Children that are not rendered although nothing hides them belong to the host of a closed root.
   */
  #notDrawn(host: Element | null): void {
    if (host && !shadowIn(host) && isToBeAsked(host, host.clientHeight)) this.hosts.push(host)
  }

  /**
   * Hidden file inputs and selects are listed too, since pages put widgets of their own in front of
   * them.
   */
  #behind(node: AnyElement, context: WalkContext): void {
    this.part(context)
    this.point(node, roleOf(node), context)
    this.part(context)
  }

  #element(
    node: AnyElement,
    style: CSSStyleDeclaration,
    display: string,
    above: WalkContext,
  ): void {
    const inline = display.startsWith('inline') || above.inRow
    // An inline element is taken to be where its line is, because measuring each would take most of
    // the time.
    const flows = display === 'inline' || display === 'table-cell'
    const line = flows && !replaced.has(node.localName) ? above.rect : undefined
    const rect = line ?? rectOf(node)
    const { view } = above
    if (this.lines.length >= this.linesMax && !meets(rect, view) && rect.height > 0) {
      this.skipped += 1 + node.childElementCount
      return
    }
    const context: WalkContext = {
      ...above,
      inRow: false,
      items: undefined,
      kept: undefined,
      blind: undefined,
    }
    if (!inline) this.part(context)
    else if (display !== 'inline')
      this.spaced ||= display.startsWith('inline-') && isSetApart(style, 'Left')
    else this.begun ??= style
    setPlace(context, node, rect, style, display)
    context.mute ||= this.#labels.has(node) || this.taken.has(node)
    context.host = node
    context.rect = rect
    context.style = style
    if (node.localName === 'canvas' && !context.mute) this.drawn += sharedArea(rect, view)
    this.#meaning(node, style, rect, context, above)
    if (!inline) this.part(context)
    else if (display !== 'inline')
      this.spaced ||= !display.startsWith('inline-') || isSetApart(style, 'Right')
    else this.ended = style
  }

  /** Decides by the element's role how it is written. */
  #meaning(
    node: AnyElement,
    style: CSSStyleDeclaration,
    rect: DOMRect,
    context: WalkContext,
    above: WalkContext,
  ): void {
    const role = roleOf(node)
    if (mayHideRoot(node, rect)) this.hosts.push(node)
    const kinds = kindsAt(node, style, above.style)
    const isPlain = !context.hidden && !actRoles.has(role)
    const by = isPlain ? clickableBy(node, style, above, kinds) : undefined
    context.kinds = kinds
    context.pointer = style.cursor === 'pointer'
    if (role === 'heading') return this.#heading(node, context, by)
    if (role === 'dialog' || role === 'alertdialog') return this.#dialog(node, role, context)
    if (role === 'frame') return this.#frame(node, rect, context)
    if (node.localName === 'select' || (role === 'listbox' && node.localName === 'select')) {
      const isThere = !context.hidden || (isSelectBox(node) && dressOf(node) !== undefined)
      return isThere ? this.#field(node, role, context) : undefined
    }
    if (actRoles.has(role)) return this.#actOn(node, role, style, context)
    if (by !== undefined) return writeClickable(this, node, { by, rect, role, style }, context)
    if (role === 'img') return this.#image(node, context)
    if (role === 'progressbar' || role === 'meter') return this.#field(node, role, context, false)
    if (node.localName === 'tr') return this.row(node, context)
    if (node.localName === 'caption' || node.localName === 'legend') {
      return this.children(node, { ...context, mute: true }, style)
    }
    if (node.localName === 'label') return this.#label(node, style, context)
    if (role === 'list') return this.#list(node, context)
    if (role === 'listitem') return this.#item(node, context)
    // Text alone may scroll too; other content has been looked at for its place.
    const mayScroll = context.clip !== above.clip || node.firstElementChild === null
    if (mayScroll && isScrollable(node, style)) return this.#scrollable(node, role, context)
    if (groupRoles.has(role)) return this.#group(node, role, context)
    this.children(node, context, style)
  }

  children(node: AnyElement, context: WalkContext, style?: CSSStyleDeclaration): void {
    if (node.localName === 'details' && !node.open) {
      for (const child of node.children)
        if (child.localName === 'summary') this.#visit(child, context)
      return
    }
    if (String(node.hidden) === 'until-found' || node.localName === 'textarea') return
    // Elements side by side in one row on the screen are written on one line.
    const inRow =
      style !== undefined &&
      style.display.endsWith('flex') &&
      style.flexDirection.startsWith('row') &&
      node.clientHeight <= 48
    const inner = inRow ? { ...context, inRow } : context
    const shadow = shadowRootOf(node)
    if (shadow) learnGenerated(shadow)
    this.generated(node, '::before', context)
    for (const child of childrenOf(node)) {
      if (inRow) this.spaced = true
      this.#visit(child, inner)
    }
    this.generated(node, '::after', context)
  }

  #actOn(node: AnyElement, role: string, style: CSSStyleDeclaration, context: WalkContext): void {
    if (context.hidden) return this.children(node, context, style)
    // Hidden checkboxes are operated through the elements that represent them.
    if (context.gone && node.localName !== 'input') return
    if (role === 'canvas' && isOverlay(node, style)) return
    if (fieldRoles.has(role) || role === 'checkbox' || role === 'radio') {
      return this.#field(node, role, context)
    }
    const name = nameOf(node, role)
    if (isSameTarget(node, name, context.outer)) return this.children(node, context, style)
    this.point(node, role, context, name)
    const named = namedByContent.has(role) || node.localName === 'button'
    const inner = named ? { ...context, inside: true, outer: { node, name } } : context
    this.children(node, inner, style)
  }

  #field(node: AnyElement, role: string, context: WalkContext, pointable = true): void {
    this.part(context)
    if (pointable) this.point(node, role, context)
    else {
      const name = nameOf(node, role)
      this.add({ role, name, value: valueOf(node, role) }, flagsOf(context))
    }
    if (node.localName === 'div' || String(node.localName).includes('-')) {
      this.children(node, { ...context, inside: true })
    }
    this.part(context)
  }

  #heading(node: AnyElement, context: WalkContext, by: ReturnType<typeof clickableBy>): void {
    this.part(context)
    const given = Number(attributeOf(node, 'aria-level') ?? node.localName[1])
    const level = given >= 1 && given <= 6 ? given : 2
    const before = this.lines.length
    if (!context.mute && !context.inside) this.add({ role: '#'.repeat(level) }, context.at ?? 0)
    if (by !== undefined && !context.inside) {
      this.point(node, by === 'other' ? 'element' : 'clickable', context, contentOf(node))
      this.children(node, { ...context, inside: true })
    } else this.children(node, context)
    const [first] = this.parts
    const isBare =
      this.parts.length === 1 && typeof first === 'object' && first.role.startsWith('#')
    if (isBare) this.parts = []
    this.flags |= snapshotFlags.heading
    if (this.parts.length === 0) this.flags = 0
    this.part(context)
    for (const line of this.lines.slice(before)) line[1] |= snapshotFlags.heading
  }

  #image(node: AnyElement, context: WalkContext): void {
    if (context.mute || context.hidden || context.inside) return this.children(node, context)
    const name = nameOf(node, 'img')
    if (name) this.add({ role: 'img', name }, flagsOf(context))
    if (node.localName === 'svg') this.children(node, { ...context, mute: true })
  }

  /**
   * A label's text is the name of its field; if the field is not rendered, the label is clicked
   * instead.
   */
  #label(node: AnyElement, style: CSSStyleDeclaration, context: WalkContext): void {
    const { control } = node
    if (!control) return this.children(node, context, style)
    const drawn = styleOf(control).display !== 'none' && control.type !== 'hidden'
    if (drawn || control.type === 'file') {
      return this.children(node, { ...context, mute: true }, style)
    }
    const role = roleOf(control)
    const part = this.point(node, role || 'clickable', context, contentOf(node))
    const states = statesOf(control, role)
    if (states) part.states = states
  }

  #dialog(node: AnyElement, role: string, context: WalkContext): void {
    const name = nameOf(node, role) || contentOf(firstIn(node, 'h1,h2,h3') ?? node, 0)
    const inner = { ...context, dialog: snapshotFlags.dialog, row: false }
    const part = { role, number: numberOf(node), name: name.slice(0, 80) }
    this.open(part, context, snapshotFlags.dialog, () => this.children(node, inner))
  }

  #group(node: AnyElement, role: string, context: WalkContext): void {
    const name = nameOf(node, role)
    if (role === 'table') return this.table(node, name, context)
    if (name === '' || context.row) return this.children(node, context, styleOf(node))
    const had = this.open({ role, name }, context, context.dialog, () =>
      this.children(node, context, styleOf(node)),
    )
    if (!had) this.lines.pop()
  }

  #scrollable(node: AnyElement, role: string, context: WalkContext): void {
    const said = groupRoles.has(role) ? role : 'region'
    const name = nameOf(node, role).slice(0, 80)
    const part: LineElement = {
      role: said,
      number: numberOf(node),
      name,
      states: 'scrollable',
    }
    if (name === '') part.hint = hintOf(node)
    this.open(part, context, context.dialog, () => this.children(node, context))
  }

  #list(node: AnyElement, context: WalkContext): void {
    this.part(context)
    const deeper = context.listed ? 1 : 0
    this.depth += deeper
    this.children(node, { ...context, listed: true }, styleOf(node))
    this.part(context)
    this.depth -= deeper
  }

  #item(node: AnyElement, context: WalkContext): void {
    this.part(context)
    this.children(node, context, styleOf(node))
    this.part(context)
  }

  /** A data table gets a line for each row; a layout table gets none. */
  table(node: AnyElement, name: string, context: WalkContext, listens = false): void {
    if (context.row || !isDataTable(node)) {
      if (listens) this.point(node, 'clickable', context, name)
      this.part(context)
      return this.children(node, context)
    }
    const part: LineElement = { role: 'table', name, value: `${node.rows?.length} rows` }
    if (listens) part.number = numberOf(node)
    this.open(part, context, context.dialog, () =>
      this.children(node, { ...context, rows: true, captioned: name !== '' }),
    )
  }

  row(node: AnyElement, context: WalkContext, said = ''): void {
    this.flush()
    if (said) this.point(node, said, context, '')
    const inner = context.rows ? { ...context, row: true } : context
    let first = true
    for (const cell of childrenOf(node)) {
      if (!isElement(cell)) continue
      if (inner.row && !first) this.add('|', snapshotFlags.row)
      first = false
      this.spaced = true
      this.#visit(cell, inner)
    }
    this.flush()
  }

  /** A frame's document is written below the frame's line. */
  #frame(node: AnyElement, rect: DOMRect, context: WalkContext): void {
    if (context.hidden || context.gone || rect.width <= 1 || rect.height <= 1) return
    const inner = documentIn(node)
    const [number, name] = [numberOf(node), nameOf(node, 'frame')]
    const part: LineElement = { role: 'frame', number, name }
    const isLoading = isFrameLoading(node, inner)
    if (isLoading) part.states = '(loading)'
    const read = this.open(part, context, context.dialog, () => {
      if (!inner?.documentElement) return
      frameElements.set(inner, new WeakRef(node))
      const labels = this.#labels
      this.#labels = labelTargets(inner)
      findHoverMenus(inner)
      learnGenerated(inner)
      const outer = context.clip ?? context.view
      const view = viewIn(inner, outer, rect)
      const away = context.away || !meets(rect, outer)
      const body = inner.body ?? inner.documentElement
      const fresh = { pointer: false, row: false, rect: undefined, clip: undefined }
      this.#visit(body, { ...context, view, away, ...fresh })
      this.#labels = labels
    })
    if (inner === null) {
      this.frames.push({ line: this.lines.length - 1, number, origin: originIn(node) })
    } else if (isLoading) {
      const isInView = ((context.at ?? 0) & snapshotFlags.inView) !== 0
      if (!read && isWaitedFor(node, isInView)) this.emptyFrames.push(number)
    } else if (!read && name === '') this.lines.pop()
  }
}
