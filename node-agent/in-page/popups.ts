/**
 * Replaces `window.open` of a page by one that ignores the features which open a separate window.
 */
export function openTabsOnly(): void {
  // `noopener` and `noreferrer` are kept, since they concern security, not windows.
  const kept = (features: unknown) =>
    String(features ?? '')
      .split(',')
      .map((feature) => feature.trim())
      .filter((feature) => /^(noopener|noreferrer)\b/.test(feature))
      .join(',')
  window.open = new Proxy(window.open, {
    apply: (target, self, [url, name, features]: unknown[]) =>
      Reflect.apply(target, self, [url, name, kept(features)]) as Window | null,
  })
}
