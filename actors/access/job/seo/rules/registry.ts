/** All rules. A new family is one file and one row here. */
import { contentPageRules, contentSiteRules } from './content.ts'
import { indexingPageRules, indexingSiteRules } from './indexing.ts'
import { internationalPageRules, internationalSiteRules } from './international.ts'
import { linkPageRules, linkSiteRules } from './links.ts'
import { mediaPageRules } from './media.ts'
import { mobilePageRules } from './mobile.ts'
import { performancePageRules } from './performance.ts'
import type { PageRule, SiteRule } from './rule.ts'
import { securityPageRules } from './security.ts'
import { structuredDataPageRules } from './structured-data.ts'

export const pageRules: readonly PageRule[] = [
  ...indexingPageRules,
  ...contentPageRules,
  ...linkPageRules,
  ...mediaPageRules,
  ...structuredDataPageRules,
  ...performancePageRules,
  ...mobilePageRules,
  ...securityPageRules,
  ...internationalPageRules,
]

export const siteRules: readonly SiteRule[] = [
  ...indexingSiteRules,
  ...contentSiteRules,
  ...linkSiteRules,
  ...internationalSiteRules,
]
