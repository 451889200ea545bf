import type { SampleMaker } from '../world.ts'

/** What the later audit found. */
const findings = [
  {
    rule: 'images-oversized',
    category: 'media',
    severity: 'high',
    title: 'Pictures are larger than they are shown',
    recommendation: 'Serve them at 800 pixels and as WebP.',
    affected_count: 34,
    affected: [{ url: 'https://shop.goldencrust.example/bread/caraway-rye' }],
    status: 'open',
  },
  {
    rule: 'title-duplicate',
    category: 'content',
    severity: 'high',
    title: 'Six pages have the same title',
    recommendation: 'Name the bread in the title.',
    affected_count: 6,
    status: 'open',
  },
  {
    rule: 'structured-data-missing',
    category: 'structured_data',
    severity: 'medium',
    title: 'Products have no structured data',
    recommendation: 'Add Product and Offer with price and availability.',
    affected_count: 41,
    status: 'open',
  },
]

export const demoSeoAudits: SampleMaker = (world) => [
  {
    daysAgo: 10,
    fields: {
      site_url: 'https://shop.goldencrust.example/',
      strategy: 'mobile',
      pages_most: 25,
      status: 'completed',
      progress: 1,
      started_at: world.at(-10, '06:00'),
      finished_at: world.at(-10, '06:07'),
      scores: { overall: 71, seo: 84, performance: 52, accessibility: 88, best_practices: 79 },
      summary: { critical: 0, high: 2, medium: 5, low: 9, passed: 61 },
      metrics: { lcp_ms: 4_310, inp_ms: 210, cls: 0.08, ttfb_ms: 420, bytes: 3_870_000 },
      pages_crawled: 23,
      provenance: { tool: 'site-audit', version: '1.4', untrusted: true },
      previous_audit_id: world.id('seo-audits', 1),
      findings,
    },
  },
  {
    daysAgo: 40,
    fields: {
      site_url: 'https://shop.goldencrust.example/',
      strategy: 'mobile',
      pages_most: 25,
      status: 'completed',
      progress: 1,
      started_at: world.at(-40, '06:00'),
      finished_at: world.at(-40, '06:09'),
      scores: { overall: 58, seo: 69, performance: 41, accessibility: 80, best_practices: 75 },
      summary: { critical: 1, high: 4, medium: 7, low: 11, passed: 49 },
      pages_crawled: 21,
    },
  },
]
