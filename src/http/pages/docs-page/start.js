/*
 * Runs in the browser: draws the document that `data-document` of the page names, as Swagger UI draws it.
 *
 * Invariant: the page asks for no key. It sends nothing but for the document.
 */
(() => {
  const page = document.getElementById('page');

  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', followScheme);
  followScheme();

  /**
   * Markup that Swagger UI makes of a text (Trusted Types): elements for words, without attributes. All else in it stays text.
   * Swagger UI has sanitized it before, by a policy of its own; this one holds whatever got past that.
   */
  const NOT_PLAIN = /<(?!\/?(?:p|br|h[1-6]|strong|em|i|code|pre|ul|ol|li|table|thead|tbody|tr|th|td)>)/g;
  window.trustedTypes?.createPolicy('default', {
    createHTML: (markup) => markup.replace(NOT_PLAIN, '&lt;'),
  });

  const nothing = () => () => null;

  window.SwaggerUIBundle({
    url: page.dataset.document,
    domNode: page,
    deepLinking: true,
    defaultModelsExpandDepth: 0,
    supportedSubmitMethods: [],
    validatorUrl: null,
    plugins: [() => ({ wrapComponents: { authorizeBtn: nothing, authorizeOperationBtn: nothing } })],
  });
})();
