import { ofFacts, spotWhen, type PageRule } from './rule.ts'

export const securityPageRules: readonly PageRule[] = [
  {
    id: 'not_secure',
    category: 'security',
    severity: 'high',
    title: 'Pages without encryption',
    description:
      'Browsers mark them as not secure, and anyone on the network path can change them.',
    recommendation: 'Serve the page over https, and redirect http to it.',
    check: ofFacts(({ security }) => spotWhen(!security.isSecure)),
  },
  {
    id: 'mixed_content',
    category: 'security',
    severity: 'high',
    title: 'Unencrypted parts of encrypted pages',
    description: 'Browsers block them, or mark the page as not secure.',
    recommendation: 'Load scripts, images and styles over https.',
    check: ofFacts(({ security }) => security.mixed),
  },
  {
    id: 'form_insecure',
    category: 'security',
    severity: 'high',
    title: 'Forms that send without encryption',
    description: 'What people type can be read on the network path.',
    recommendation: 'Use an https address as the action of the form.',
    check: ofFacts(({ security }) => security.forms),
  },
]
