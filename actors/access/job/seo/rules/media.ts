import { ofFacts, type PageRule } from './rule.ts'

export const mediaPageRules: readonly PageRule[] = [
  {
    id: 'image_alt_missing',
    category: 'media',
    severity: 'medium',
    title: 'Images without an alt text',
    description: 'Who does not see the image learns nothing of it, search engines neither.',
    recommendation: 'Say what the image shows; an empty alt marks one that only decorates.',
    check: ofFacts(({ images }) => images.withoutAlt),
  },
  {
    id: 'image_broken',
    category: 'media',
    severity: 'high',
    title: 'Images that do not load',
    description: 'The page shows a gap.',
    recommendation: 'Correct the address of the image, or remove it.',
    check: ofFacts(({ images }) => images.broken),
  },
  {
    id: 'image_size_missing',
    category: 'media',
    severity: 'low',
    title: 'Images without a size',
    description: 'What is below them jumps when they have loaded.',
    recommendation: 'Give width and height, or an aspect-ratio in CSS.',
    check: ofFacts(({ images }) => images.withoutSize),
  },
]
