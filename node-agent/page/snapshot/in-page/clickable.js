/* Elements without a role that can be clicked. */

/** Why a click would have an effect: `own` listener, `cursor`, `item` of a list, or undefined. */
function clickableBy(element, style, context) {
  if (element.localName === 'body' || element.localName === 'html') return undefined
  if (listening.has(element) || element.hasAttribute('onclick')) return 'own'
  if (context.items && element.parentNode === context.items) return 'item'
  if (style.cursor === 'pointer' && !context.pointer && element.localName !== 'label')
    return 'cursor'
  const tabIndex = element.getAttribute('tabindex')
  if (tabIndex !== null && Number(tabIndex) >= 0) return 'own'
  return element.getAttribute('draggable') === 'true' ? 'own' : undefined
}

/**
 * True for an element that listens for its children: several of one kind without listeners of their
 * own.
 */
function hasItems(element) {
  const { children } = element
  if (children.length < 2) return false
  const name = children[0].localName
  for (const child of children) {
    if (child.localName !== name || listening.has(child) || actRoles.has(roleOf(child)))
      return false
  }
  return true
}

const actable = 'a[href], button, input, select, textarea, [onclick], [role=button], [role=link]'

/** True if its name would be very long; such an element gets a line without a name. */
function isLarge(element) {
  return element.textContent.length > 300 || element.querySelectorAll(actable).length > 2
}

/** True for the root of an application, which listens for all events in it. */
function isWholePage(element, rect, view) {
  if (element.querySelectorAll(actable).length < 2) return false
  return rect.width * rect.height >= 0.8 * (view.right - view.left) * (view.bottom - view.top)
}
