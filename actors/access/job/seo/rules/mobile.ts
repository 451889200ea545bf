import { noSpots, ofFacts, oneSpot, spotWhen, type PageRule } from './rule.ts'

/** Some browsers have no smaller windows; wider ones are not a phone's. */
const narrowPixels = 600

export const mobilePageRules: readonly PageRule[] = [
  {
    id: 'viewport_missing',
    category: 'mobile',
    severity: 'high',
    title: 'Pages that do not fit a phone',
    description: 'Without a viewport, phones show the desktop page in small print.',
    recommendation: 'Add <meta name="viewport" content="width=device-width, initial-scale=1">.',
    check: ofFacts(({ viewport }) =>
      spotWhen(!viewport.some((text) => /width\s*=\s*device-width/i.test(text)), viewport[0]),
    ),
  },
  {
    id: 'zoom_blocked',
    category: 'mobile',
    severity: 'medium',
    title: 'Pages that cannot be zoomed',
    description: 'People with low vision cannot read them.',
    recommendation: 'Remove user-scalable=no and maximum-scale from the viewport.',
    check: ofFacts(({ viewport }) => {
      const text = viewport.find(blocksZoom)
      return text === undefined ? noSpots : oneSpot(text, 'meta[name=viewport]')
    }),
  },
  {
    id: 'content_too_wide',
    category: 'mobile',
    severity: 'medium',
    title: 'Content wider than the screen',
    description: 'On a phone, people have to scroll sideways to read it.',
    recommendation: 'Let wide parts shrink, or scroll on their own.',
    check: ofFacts(({ width }, { strategy }) => {
      const isNarrow = strategy === 'mobile' && width.window <= narrowPixels
      const isWide = isNarrow && width.content > width.window + 1
      return spotWhen(isWide, `${width.content} px in a window of ${width.window} px`)
    }),
  },
]

function blocksZoom(viewport: string): boolean {
  if (/user-scalable\s*=\s*(no|0)\b/i.test(viewport)) return true
  const most = /maximum-scale\s*=\s*([\d.]+)/i.exec(viewport)?.[1]
  return most !== undefined && Number(most) < 2
}
