import { ofFacts, spotWhen, type PageRule } from './rule.ts'

export const securityPageRules: readonly PageRule[] = [
  {
    id: 'not_secure',
    category: 'security',
    severity: 'high',
    title: 'Pages without encryption',
    description: 'Browsers call them not secure, and anyone on the way can change them.',
    recommendation: 'Serve the page over https, and redirect http to it.',
    check: ofFacts(({ security }) => spotWhen(!security.isSecure)),
  },
  {
    id: 'mixed_content',
    category: 'security',
    severity: 'high',
    title: 'Unencrypted parts of encrypted pages',
    description: 'Browsers block them, or call the page not secure.',
    recommendation: 'Load scripts, images and styles over https.',
    check: ofFacts(({ security }) => security.mixed),
  },
  {
    id: 'form_insecure',
    category: 'security',
    severity: 'high',
    title: 'Forms that send without encryption',
    description: 'What people type can be read on the way.',
    recommendation: 'Let the form’s action be an https address.',
    check: ofFacts(({ security }) => security.forms),
  },
]
