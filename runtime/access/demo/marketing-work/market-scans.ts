import type { SampleMaker } from '../world.ts'

export const demoMarketScans: SampleMaker = (world) => [
  {
    daysAgo: 15,
    fields: {
      title: 'Bread delivery in Portland',
      market: 'Bakeries with an online shop',
      region: 'Portland, OR',
      competitors: ['Loaf & Lantern', 'Sweet Acorn'],
      questions: ['What does delivery cost?', 'Who offers subscriptions?'],
      status: 'completed',
      progress: 1,
      started_at: world.at(-15, '07:00'),
      finished_at: world.at(-15, '07:18'),
      summary: 'Both deliver on two days a week. Neither has a subscription that can be paused.',
      findings: [
        {
          claim: 'Loaf & Lantern delivers for $4.50, free from $35.',
          confidence: 0.95,
          source_ids: ['s1'],
        },
        {
          claim: 'Sweet Acorn has subscriptions without a pause.',
          confidence: 0.8,
          source_ids: ['s2'],
        },
      ],
      sources: [
        {
          id: 's1',
          url: 'https://loafandlantern.example/delivery',
          title: 'Delivery',
          retrieved_at: world.at(-15, '07:06'),
        },
        {
          id: 's2',
          url: 'https://sweetacorn.example/subscriptions',
          title: 'Subscriptions',
          retrieved_at: world.at(-15, '07:11'),
        },
      ],
    },
  },
]
