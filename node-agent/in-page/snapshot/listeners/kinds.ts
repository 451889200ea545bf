/** What an element listens for besides clicks, as bits of a number. */
export const listenerKinds = {
  click: 1,
  dblclick: 2,
  contextmenu: 4,
  hover: 8,
  drag: 16,
  drop: 32,
  resize: 64,
  /** It listens for elements inside it, which are known. */
  delegates: 128,
} as const

const kindPatterns: readonly (readonly [kind: number, types: string])[] = [
  [1, 'click|mousedown|mouseup|pointerdown|pointerup|touchstart|touchend'],
  [2, 'dblclick|doubleclick'],
  [4, 'contextmenu'],
  [8, 'mouseenter|mouseover|pointerenter|pointerover'],
  [16, 'drag|dragstart|dragend'],
  [32, 'drop|dragover|dragenter'],
]

/** The bit of an event's type; 0 for types that no pointer causes. */
export function kindOfEvent(type: string): number {
  for (const [kind, types] of kindPatterns) if (types.split('|').includes(type)) return kind
  return 0
}

/** What is said of an element: `on dblclick, drag`. Clicks and what is inside go without saying. */
export function listensText(kinds: number): string {
  const words = ['dblclick', 'contextmenu', 'hover', 'drag', 'drop', 'resize'] as const
  const said = words.filter((word) => kinds & listenerKinds[word])
  return said.length > 0 ? `on ${said.join(', ')}` : ''
}
