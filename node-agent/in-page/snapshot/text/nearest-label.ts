/** The label of a field that the page has put beside it without connecting the two. */
import type { AnyElement } from '../../any-element.ts'
import { boxOf, styleOf } from '../../measure.ts'
import { contentOf, squeeze } from '../names.ts'
import { actRoles, fieldRoles, roleOf } from '../roles.ts'
import { isElement, isText } from '../tree.ts'

export interface NearestLabel {
  readonly text: string
  readonly node: Node
}

const labelCharsMax = 60
/** How many elements around the field are left in search of its label. */
const labelLevels = 3
const labelGapsPx = { x: 160, y: 32 }

/** Text of these says more than the name of what follows. */
const noLabels =
  'h1, h2, h3, h4, h5, h6, input, select, textarea, button, a[href], img, table, ul, ol, [contenteditable], [role]'

/** Before the field, or after a check box. */
export function nearestLabel(field: AnyElement, role: string): NearestLabel | undefined {
  const ticks = role === 'checkbox' || role === 'radio'
  if (!ticks && !fieldRoles.has(role)) return undefined
  let at: Element = field
  for (let level = 0; level < labelLevels; level++) {
    const found = labelBeside(at, ticks ? 'nextSibling' : 'previousSibling', field)
    if (found !== undefined) return found ?? undefined
    const above: Element | null = at.parentElement
    if (!above || /^(body|form|fieldset|main|td|th|li)$/.test(above.localName)) return undefined
    at = above
  }
  return undefined
}

/** Null if something else stands there. */
function labelBeside(
  at: Element,
  side: 'nextSibling' | 'previousSibling',
  field: Element,
): NearestLabel | null | undefined {
  for (let node = at[side]; node; node = node[side]) {
    if (!isText(node) && !isElement(node)) continue
    const text = isText(node) ? squeeze(node.data) : textOfLabel(node)
    if (text === '') continue
    const fits = text !== undefined && isLabelText(text) && isNear(node, field)
    return fits ? { text, node } : null
  }
  return undefined
}

/** Undefined for an element that is no label. */
function textOfLabel(element: AnyElement): string | undefined {
  if (element.matches(noLabels) || element.querySelector(noLabels)) return undefined
  if (actRoles.has(roleOf(element))) return undefined
  // The label of another field; pages also use the element without connecting it to any.
  if (element.localName === 'label' && element.control) return undefined
  const { display, visibility } = styleOf(element)
  return display === 'none' || visibility !== 'visible' ? '' : contentOf(element)
}

const isLabelText = (text: string) =>
  text.length <= labelCharsMax && /[\p{L}\p{N}]/u.test(text) && !/[.!;…]$/.test(text)

function isNear(node: Node, field: Element): boolean {
  const range = node.ownerDocument!.createRange()
  range.selectNode(node)
  const [one, other] = [boxOf(range), boxOf(field)]
  const x = Math.max(one.left - other.right, other.left - one.right)
  const y = Math.max(one.top - other.bottom, other.top - one.bottom)
  return x <= labelGapsPx.x && y <= labelGapsPx.y
}
