import type { SampleMaker } from '../world.ts'

export const demoAiAssistance: SampleMaker = (world) => [
  {
    daysAgo: 7,
    fields: {
      kind: 'draft',
      prompt: 'Write three subject lines for the newsletter on holiday boxes.',
      context: [world.ref('content-gaps', 1)],
      status: 'completed',
      progress: 1,
      started_at: world.at(-7, '10:15'),
      finished_at: world.at(-7, '10:15'),
      output: [
        'A box of bread for the ones far away',
        'Six loaves, one ribbon',
        'Send them breakfast',
      ],
      citations: [world.ref('content-gaps', 1)],
      usage: { input_tokens: 612, output_tokens: 48 },
      review: { status: 'accepted', by: 'Theo Brandt', at: world.at(-6, '09:20') },
    },
  },
  {
    daysAgo: 2,
    fields: {
      kind: 'summarize',
      prompt: 'Sum up the last audit for somebody who does not know the words.',
      context: [world.ref('seo-audits', 0)],
      status: 'completed',
      progress: 1,
      started_at: world.at(-2, '11:40'),
      finished_at: world.at(-2, '11:41'),
      output: 'The shop is found well, and is slow on phones because its pictures are too large.',
      citations: [world.ref('seo-audits', 0)],
      review: { status: 'unreviewed' },
    },
  },
]
