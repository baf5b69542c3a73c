/*
 * Runs in the browser: draws the document that `data-document` of the page names, with Swagger UI.
 *
 * Invariant: the page shows and asks nothing. There is no field to type into and no key to give, only what opens,
 * closes, or chooses between examples. The order is: overview, contents, calls, schemas, errors.
 */
(() => {
  const page = document.getElementById('page');

  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', followScheme);
  followScheme();

  /** The description is an overview, and from this heading on the table of errors, which comes last on the page. */
  const ERRORS_HEADING = '\n## Errors\n';

  function partsOf(description = '') {
    const at = description.indexOf(ERRORS_HEADING);
    return at < 0 ? [description, ''] : [description.slice(0, at), description.slice(at)];
  }

  /** On narrow screens a row of a table is a block, and each cell says what it is. */
  function labelCells(section) {
    for (const table of section?.querySelectorAll('table') ?? []) {
      const names = Array.from(table.querySelectorAll('th'), (cell) => cell.textContent);
      for (const row of table.querySelectorAll('tbody tr')) {
        Array.from(row.cells).forEach((cell, at) => {
          cell.dataset.label = names[at] ?? '';
        });
      }
    }
  }

  /**
   * What becomes of a text that is made markup (Trusted Types): elements for words, without attributes. All else in it stays
   * text. Swagger UI has sanitized it before, by a policy of its own; this one holds whatever got past that.
   */
  const NOT_PLAIN = /<(?!\/?(?:p|br|h[1-6]|strong|em|i|code|pre|ul|ol|li|table|thead|tbody|tr|th|td)>)/g;
  window.trustedTypes?.createPolicy('default', {
    createHTML: (markup) => markup.replace(NOT_PLAIN, '&lt;'),
  });

  const nothing = () => () => null;

  /** A `select` with one choice is none. The original stays, unseen: it tells the page what is chosen. */
  const mediaType =
    (Original, { React }) =>
    (props) => {
      if (props.contentTypes?.size !== 1) return React.createElement(Original, props);
      return React.createElement(
        'span',
        { className: 'media-type' },
        props.contentTypes.first(),
        React.createElement('span', { hidden: true }, React.createElement(Original, props)),
      );
    };

  /** The same for examples. */
  const examplesSelect =
    (Original, { React }) =>
    (props) => {
      const select = React.createElement(Original, props);
      if (props.examples?.size !== 1) return select;
      return React.createElement('span', { hidden: true, className: 'only-example' }, select);
    };

  const baseAddress =
    (_, { React }) =>
    ({ specSelectors }) => {
      const url = specSelectors.servers().first()?.get('url');
      return React.createElement('p', null, 'Paths begin with ', React.createElement('code', null, url), '.');
    };

  /** Behind the overview: what there is, as links. */
  const contents =
    (Original, { React }) =>
    (props) => {
      const { specSelectors } = props;
      const tags = specSelectors?.specJson().get('tags');
      const links = (tags?.toJS() ?? []).map(({ name, description }) =>
        React.createElement(
          'li',
          { key: name },
          React.createElement('a', { href: `#operations-tag-${name}` }, name),
          ` ${description}`,
        ),
      );
      const errors = React.createElement(
        'li',
        { key: 'errors' },
        React.createElement('a', { href: '#errors' }, 'Errors'),
        ' What each means, and what to do.',
      );
      return React.createElement(
        React.Fragment,
        null,
        React.createElement('div', { ref: labelCells }, React.createElement(Original, props)),
        links.length === 0
          ? null
          : React.createElement(
              'nav',
              { className: 'contents', 'aria-label': 'Contents' },
              React.createElement('ul', null, links, errors),
            ),
      );
    };

  const errorsLast =
    (Original, { React }) =>
    (props) => {
      const { specSelectors, getComponent } = props;
      const [, errors] = partsOf(specSelectors.info()?.get('description'));
      const Markdown = getComponent('Markdown', true);
      return React.createElement(
        React.Fragment,
        null,
        React.createElement(Original, props),
        errors === ''
          ? null
          : React.createElement(
              'section',
              { className: 'swagger-ui', id: 'errors', ref: labelCells },
              React.createElement(
                'div',
                { className: 'wrapper' },
                React.createElement(Markdown, { source: errors }),
              ),
            ),
      );
    };

  window.SwaggerUIBundle({
    url: page.dataset.document,
    domNode: page,
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    displayRequestDuration: false,
    supportedSubmitMethods: [],
    validatorUrl: null,
    plugins: [
      () => ({
        wrapComponents: {
          authorizeBtn: nothing,
          authorizeOperationBtn: nothing,
          // Where a parameter's value would be typed in; its example is beside it.
          JsonSchemaForm: nothing,
          contentType: mediaType,
          ExamplesSelect: examplesSelect,
          ServersContainer: baseAddress,
          InfoContainer: contents,
          BaseLayout: errorsLast,
        },
        statePlugins: {
          spec: {
            wrapSelectors: {
              selectInfoDescriptionField: (original) => () => partsOf(original())[0],
            },
          },
        },
      }),
    ],
  });
})();
