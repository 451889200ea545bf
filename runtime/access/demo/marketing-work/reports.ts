import type { DemoWorld, SampleRecord, SampleMaker } from '../world.ts'

export const demoReports: SampleMaker = (world) => [publishedSummary(world), draftOfMetrics(world)]

const publishedSummary = (world: DemoWorld): SampleRecord => ({
  daysAgo: 5,
  fields: {
    kind: 'work_summary',
    title: 'What was done in the last four weeks',
    summary: 'The shop loads faster, two wholesale customers are close, one task waits for you.',
    period: { from: world.day(-33), to: world.day(-5) },
    status: 'published',
    published_at: world.at(-5, '16:00'),
    published_by: world.people.grace,
    sections: [
      {
        heading: 'In short',
        kind: 'metric',
        body: {
          items: [
            { label: 'Tasks completed', value: 14 },
            { label: 'Deployments', value: 6 },
            { label: 'Audit score', value: 71, before: 58, unit: 'score' },
          ],
        },
        sources: [0],
      },
      {
        heading: 'Next',
        kind: 'text',
        body: 'Holiday boxes go live; the list of allergens is what we still need from you.',
      },
    ],
    sources: [{ ...world.ref('seo-audits', 0), version: 1 }],
  },
})

const draftOfMetrics = (world: DemoWorld): SampleRecord => ({
  daysAgo: 2,
  fields: {
    kind: 'metrics',
    title: 'Online shop: orders and speed',
    period: { from: world.day(-30), to: world.day(-2) },
    status: 'draft',
    sections: [
      {
        heading: 'Orders',
        kind: 'table',
        body: {
          columns: [
            { label: 'Week from', unit: 'date' },
            { label: 'Orders', unit: 'count' },
            { label: 'Revenue', unit: 'money', currency: 'USD' },
          ],
          rows: [
            [world.day(-28), 212, 593_600],
            [world.day(-21), 238, 690_200],
            [world.day(-14), 251, 727_900],
            [world.day(-7), 274, 822_000],
          ],
        },
      },
    ],
  },
})
