import type { SampleMaker } from '../world.ts'

export const demoEnrichment: SampleMaker = (world) => [
  {
    daysAgo: 19,
    fields: {
      subject: world.ref('contacts', 1),
      fields: ['website', 'address'],
      status: 'completed',
      progress: 1,
      started_at: world.at(-19, '13:00'),
      finished_at: world.at(-19, '13:02'),
      proposals: [
        {
          field: 'website',
          current: null,
          value: 'https://bridgetowncatering.example',
          confidence: 0.93,
          source_url: 'https://bridgetowncatering.example/contact',
        },
      ],
      applied: [],
    },
  },
]
