/**
 * Validates what the script reports about a page, because a page can manipulate the script's
 * result.
 */
import { z } from 'zod'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'

const count = z.int().min(0).max(1e6)
const evidence = z.string().max(limits.seoEvidenceChars)
const longText = z.string().max(limits.seoTitleChars)
const address = z.string().max(limits.seoUrlChars)
const texts = z.array(longText).max(50)
const measure = z.number().min(0).max(1e12)

const spots = z.object({
  count,
  spots: z.array(z.object({ selector: evidence, evidence })).max(limits.seoSpotsPerPage),
})

export const pageFacts = z.object({
  /** The final URL without its fragment. */
  url: z.string().max(4_096),
  status: z.int().min(0).max(999),
  contentType: z.string().max(100),
  title: texts,
  lang: z.string().max(40),
  description: texts,
  robots: texts,
  viewport: texts,
  canonical: z.array(address).max(limits.seoSpotsPerPage),
  alternates: z
    .array(z.object({ lang: z.string().max(40), url: address }))
    .max(limits.seoAlternatesPerPage),
  headings: z
    .array(z.object({ level: z.int().min(1).max(6), text: evidence }))
    .max(limits.seoHeadingsPerPage),
  words: count,
  links: z.object({
    count,
    listed: z.array(z.object({ url: address, nofollow: z.boolean() })).max(limits.seoLinksPerPage),
    unnamed: spots,
    nofollow: spots,
  }),
  images: z.object({ count, withoutAlt: spots, broken: spots, withoutSize: spots }),
  jsonLd: z.object({ count, invalid: spots, incomplete: spots }),
  security: z.object({ isSecure: z.boolean(), mixed: spots, forms: spots }),
  width: z.object({ content: measure, window: measure }),
  vitals: z.object({
    lcp: measure.nullable(),
    cls: measure,
    ttfb: measure.nullable(),
    bytes: measure,
    requests: count,
  }),
})
export type PageFacts = z.output<typeof pageFacts>

/** One place in a page where a rule is violated. */
export interface PageSpot {
  readonly selector?: string
  readonly evidence?: string
}

/** `count` may be larger than the number of listed spots. */
export interface PageSpots {
  readonly count: number
  readonly spots: readonly PageSpot[]
}

export const isHtml = ({ contentType }: Pick<PageFacts, 'contentType'>): boolean =>
  /^(text\/html|application\/xhtml\+xml)$/.test(contentType)

const directives = ({ robots }: Pick<PageFacts, 'robots'>): readonly string[] =>
  robots.flatMap((text) => text.toLowerCase().split(/[\s,]+/))

export const isNoindex = (page: Pick<PageFacts, 'robots'>): boolean =>
  directives(page).some((word) => word === 'noindex' || word === 'none')
