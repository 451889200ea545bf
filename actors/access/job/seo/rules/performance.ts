/** Limits of web.dev for Core Web Vitals. Measured in one visit from one place, not field data. */
import { noSpots, ofFacts, oneSpot, spotWhen, type PageRule } from './rule.ts'

const lcpMs = { good: 2_500, poor: 4_000 }
const shiftGood = 0.1
const ttfbGoodMs = 800
const pageBytesMost = 3 * 1024 * 1024

export const performancePageRules: readonly PageRule[] = [
  {
    id: 'lcp_poor',
    category: 'performance',
    severity: 'high',
    title: 'The main content comes very late',
    description: `Largest Contentful Paint took longer than ${lcpMs.poor} ms.`,
    recommendation: 'Load the largest image or text first, respond faster, and defer scripts.',
    check: ofFacts(({ vitals: { lcp } }) =>
      lcp !== null && lcp > lcpMs.poor ? oneSpot(`${Math.round(lcp)} ms`) : noSpots,
    ),
  },
  {
    id: 'lcp_slow',
    category: 'performance',
    severity: 'medium',
    title: 'The main content comes late',
    description: `Largest Contentful Paint took longer than ${lcpMs.good} ms.`,
    recommendation: 'Load the largest image or text first, respond faster, and defer scripts.',
    check: ofFacts(({ vitals: { lcp } }) =>
      lcp !== null && lcp > lcpMs.good && lcp <= lcpMs.poor
        ? oneSpot(`${Math.round(lcp)} ms`)
        : noSpots,
    ),
  },
  {
    id: 'layout_shift',
    category: 'performance',
    severity: 'medium',
    title: 'The page jumps while it loads',
    description: `Cumulative Layout Shift is above ${shiftGood}.`,
    recommendation: 'Reserve space for images, ads and fonts before they load.',
    check: ofFacts(({ vitals: { cls } }) => spotWhen(cls > shiftGood, cls.toFixed(3))),
  },
  {
    id: 'ttfb_slow',
    category: 'performance',
    severity: 'low',
    title: 'The server responds slowly',
    description: `The first byte took more than ${ttfbGoodMs} ms.`,
    recommendation: 'Cache pages, and serve them from a location near the visitor.',
    check: ofFacts(({ vitals: { ttfb } }) =>
      ttfb !== null && ttfb > ttfbGoodMs ? oneSpot(`${Math.round(ttfb)} ms`) : noSpots,
    ),
  },
  {
    id: 'page_heavy',
    category: 'performance',
    severity: 'medium',
    title: 'Heavy pages',
    description: 'On a slow connection, more than 3 MiB takes many seconds.',
    recommendation: 'Compress images, and load content that is not in view later.',
    check: ofFacts(({ vitals: { bytes } }) =>
      spotWhen(bytes > pageBytesMost, `${(bytes / 1024 / 1024).toFixed(1)} MiB`),
    ),
  },
]
