/**
 * Reads robots.txt, keeps its rules in a compact form, and decides whether a page may be visited.
 */
import robotsParserModule from 'robots-parser'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'

/** Our user agent in robots.txt; without a group for it, `*` applies. */
const robotsName = 'TroupeAudit'

interface Robots {
  isAllowed(url: string, agent?: string): boolean | undefined
  getCrawlDelay(agent?: string): number | undefined
  getSitemaps(): string[]
}

// The package is CommonJS, but its types declare a `default` export.
const robotsParser = robotsParserModule as unknown as (url: string, text: string) => Robots

/** Without comments, sitemaps and blank lines, cut at a line. */
export function truncatedRobots(text: string): {
  readonly robots: string
  readonly isCut: boolean
} {
  const lines = text
    .split(/\r\n|\r|\n/)
    .map((line) => line.replace(/#.*$/, '').trim())
    .filter((line) => line !== '' && !/^sitemap\s*:/i.test(line))
  const robots = lines.join('\n')
  if (robots.length <= limits.seoRobotsChars) return { robots, isCut: false }
  const end = robots.lastIndexOf('\n', limits.seoRobotsChars)
  return { robots: robots.slice(0, Math.max(0, end)), isCut: true }
}

/** Sitemap URLs in the order of robots.txt. */
export const sitemapsIn = (origin: string, text: string): readonly string[] =>
  robotsParser(`${origin}/robots.txt`, text).getSitemaps()

export const isAllowed = (origin: string, robots: string, url: string): boolean =>
  robotsParser(`${origin}/robots.txt`, robots).isAllowed(url, robotsName) !== false

/** The requested delay between two visits, up to our limit. */
export const delayMs = (origin: string, robots: string): number => {
  const seconds = robotsParser(`${origin}/robots.txt`, robots).getCrawlDelay(robotsName) ?? 0
  return Math.min(seconds * 1_000, limits.seoDelayMs)
}
